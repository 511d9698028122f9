// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Creation, IntentTerms} from "../../src/periphery/CreationGateway.sol";
import {PeripheryFixture} from "../support/PeripheryFixture.sol";

/// @notice Whole-transaction gas of the gateway in use, with a blob of one unit; committed under
///         contracts/snapshots.
/// forge-config: default.isolate = true
contract PeripheryGasTest is PeripheryFixture {
    string private constant FILE = "periphery";

    function blob() internal pure returns (bytes memory made) {
        made = new bytes(512);
        for (uint256 i = 0; i < 512; ++i) {
            made[i] = 0x01;
        }
    }

    function test_gas_gateway() public {
        Creation memory given = creation();
        bytes memory permit = permitSignature(user, given, blob());
        vm.prank(submitter);
        gateway.createByPermit2(given, blob(), permit);
        given.salt = keccak256("in use");
        permit = permitSignature(user, given, blob());
        vm.prank(submitter);
        gateway.createByPermit2(given, blob(), permit);
        vm.snapshotGasLastCall(FILE, "createByPermit2");
        bytes memory receipt = authorization(user, given, blob());
        vm.prank(submitter);
        gateway.createByAuthorization(given, blob(), receipt);
        vm.snapshotGasLastCall(FILE, "createByAuthorization");
        IntentTerms memory terms = given.terms;
        terms.tokenA = address(weth);
        vm.deal(user.addr, 2 * ESCROW);
        vm.startPrank(user.addr);
        gateway.createWithEther{value: ESCROW}(terms, blob());
        gateway.createWithEther{value: ESCROW}(terms, blob());
        vm.snapshotGasLastCall(FILE, "createWithEther");
        vm.stopPrank();
    }
}
