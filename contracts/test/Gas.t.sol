// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {DevnetUsdt} from "../src/devnet/DevnetUsdt.sol";
import {DevnetWeth} from "../src/devnet/DevnetWeth.sol";
import {Anchor, Intent, NotDelivered, Settlement} from "../src/interfaces/BridgeTypes.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";
import {Deployed} from "./support/Deployed.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @notice Whole-transaction gas (base fee and calldata included) of every call that users make, on
///         a bridge that is in use: each token has been offered and staked, and solvers return.
///         Each call runs as its own transaction; the figures are committed under
///         contracts/snapshots.
/// forge-config: default.isolate = true
contract GasTest is BridgeFixture {
    string private constant FILE = "bridge";

    function setUp() public override {
        super.setUp();
        // The bridge is in use: sequence, fees and token balances are not zero.
        uint256 id = deposited();
        settle(id);
        id = withBid();
        vm.warp(endOf(id) + 2 * PICKUP);
        refund(id);
    }

    /// @dev Chains accept at most 24,576 bytes.
    function test_size() public view {
        assertLt(address(bridge).code.length, 23_500);
    }

    function test_gas_createIntent_firstOfAFreshUser() public {
        assertLt(costOfFirstIntent(address(usdc), "createIntent, USDC"), 150_000);
        DevnetUsdt usdt = DevnetUsdt(Deployed.create("DevnetUsdt", ""));
        list(address(usdt));
        createWith(address(usdt));
        assertLt(costOfFirstIntent(address(usdt), "createIntent, USDT"), 150_000);
        DevnetWeth weth = DevnetWeth(Deployed.create("DevnetWeth", ""));
        list(address(weth));
        createWith(address(weth));
        assertLt(costOfFirstIntent(address(weth), "createIntent, WETH"), 150_000);
    }

    function test_gas_createIntent_withABlob() public {
        bytes memory plain = abi.encodeCall(
            bridge.createIntent, (address(usdc), tokenB, AMOUNT, EXPECTED, REWARD, DEST, DURATION)
        );
        vm.prank(rival);
        (bool created,) = address(bridge).call(bytes.concat(plain, fullBlob()));
        assertTrue(created);
        vm.snapshotGasLastCall(FILE, "createIntent, with a blob");
    }

    function test_gas_auction() public {
        uint256 id = create();
        bytes memory blob = fullBlob();
        Anchor memory given = anchorOf(id, blob);
        anchor(given, blob);
        vm.snapshotGasLastCall(FILE, "anchorIntent");
        bid(id, solver, EXPECTED);
        assertLt(vm.snapshotGasLastCall(FILE, "placeBid, first"), 60_000);
        bid(id, rival, EXPECTED + 1);
        assertLt(vm.snapshotGasLastCall(FILE, "placeBid, better"), 60_000);
        bid(id, rival, EXPECTED + 2);
        assertLt(vm.snapshotGasLastCall(FILE, "placeBid, raised"), 60_000);
        vm.warp(block.timestamp + DURATION);
        deposit(id, rival, EXPECTED + 2);
        assertLt(vm.snapshotGasLastCall(FILE, "depositAndPickup"), 45_000);
        vm.warp(block.timestamp + EXECUTION / 4);
        vm.prank(rival);
        bridge.askRecipients(id);
        vm.snapshotGasLastCall(FILE, "askRecipients");
        reveal(id, new bytes(160));
        vm.snapshotGasLastCall(FILE, "revealRecipients");
    }

    function test_gas_secondWindow() public {
        uint256 id = withBid();
        vm.warp(endOf(id) + PICKUP + 30);
        deposit(id, rival, EXPECTED);
        vm.snapshotGasLastCall(FILE, "depositAndPickup, in the best bidder's place");
    }

    function test_gas_stakes() public {
        vm.prank(anyone);
        bridge.setSealingKey(enclave.publicKeyX, enclave.publicKeyY);
        vm.snapshotGasLastCall(FILE, "setSealingKey");
        fund(address(usdc), anyone);
        vm.prank(anyone);
        bridge.stake(address(usdc), STAKE);
        vm.snapshotGasLastCall(FILE, "stake, first");
        vm.prank(anyone);
        bridge.unstake(address(usdc), STAKE / 2);
        vm.snapshotGasLastCall(FILE, "unstake");
    }

    function test_gas_settleIntent() public {
        uint256 id = deposited();
        settle(id);
        vm.snapshotGasLastCall(FILE, "settleIntent");
        bridge.collectFees(address(usdc));
        vm.snapshotGasLastCall(FILE, "collectFees");
    }

    function test_gas_waysBack() public {
        uint256 id = create();
        vm.prank(sender);
        bridge.cancelIntent(id);
        vm.snapshotGasLastCall(FILE, "cancelIntent");
        id = withBid();
        vm.prank(sender);
        bridge.cancelIntent(id);
        vm.snapshotGasLastCall(FILE, "cancelIntent, with a bid");
        id = create();
        vm.warp(block.timestamp + DURATION);
        refund(id);
        vm.snapshotGasLastCall(FILE, "refund, expired");
        id = deposited();
        vm.warp(block.timestamp + EXECUTION);
        refundUndelivered(id);
        vm.snapshotGasLastCall(FILE, "refundUndelivered");
        id = deposited();
        vm.warp(block.timestamp + EXECUTION + GRACE);
        refund(id);
        vm.snapshotGasLastCall(FILE, "refund, failed");
        id = create();
        vm.warp(block.timestamp + DURATION);
        usdc.blacklist(sender);
        refund(id);
        vm.snapshotGasLastCall(FILE, "refund, refused and credited");
        vm.prank(sender);
        bridge.claim(address(usdc), anyone);
        vm.snapshotGasLastCall(FILE, "claim");
    }

    function test_gas_solveIntent() public {
        uint256 intentId = create();
        vm.chainId(DEST);
        // The first number is what the same delivery cost before deliveries could be proven, without
        // the 17,100 of the very first one; the second is the most that this may cost besides.
        solve(intentId, 1);
        assertLe(vm.snapshotGasLastCall(FILE, "solveIntent, 1 recipient"), 99_798 + 1_000);
        solve(intentId + 1, 10);
        vm.snapshotGasLastCall(FILE, "solveIntent, 10 recipients");
        solve(intentId + 11, 200);
        assertLe(vm.snapshotGasLastCall(FILE, "solveIntent, 200 recipients"), 6_393_264 + 30_000);
    }

    function test_gas_solveIntent_refused() public {
        uint256 intentId = create();
        vm.chainId(DEST);
        usdc.blacklist(makeAddr(vm.toString(intentId)));
        solve(intentId, 1);
        vm.snapshotGasLastCall(FILE, "solveIntent, refused and credited");
    }

    function costOfFirstIntent(address token, string memory name) private returns (uint256) {
        address fresh = makeAddr(name);
        DevnetWeth(payable(token)).mint(fresh, 5 * AMOUNT);
        // Neither exact nor unlimited: the allowance is rewritten without a gas refund.
        vm.prank(fresh);
        SafeERC20.forceApprove(IERC20(token), address(bridge), 3 * AMOUNT);
        vm.prank(fresh);
        bridge.createIntent(token, tokenB, AMOUNT, EXPECTED, REWARD, DEST, DURATION);
        return vm.snapshotGasLastCall(FILE, name);
    }

    function solve(uint256 intentId, uint256 count) private {
        address[] memory recipients = new address[](count);
        uint256[] memory amounts = new uint256[](count);
        for (uint256 i = 0; i < count; ++i) {
            recipients[i] = makeAddr(vm.toString(intentId + i));
            amounts[i] = 10e6;
        }
        vm.prank(solver);
        bridge.solveIntent(
            SOURCE,
            intentId,
            keccak256("paramsHash"),
            address(usdc),
            recipients,
            amounts,
            block.timestamp + 600
        );
    }

    function fullBlob() private pure returns (bytes memory blob) {
        blob = new bytes(512);
        for (uint256 i = 0; i < 512; ++i) {
            blob[i] = 0x01;
        }
    }
}
