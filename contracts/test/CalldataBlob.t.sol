// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {BridgeFixture} from "./support/BridgeFixture.sol";
import {Vm} from "forge-std/Test.sol";

/// @notice An account that makes whatever call it is told to, as wallets that are contracts do.
contract SmartAccount {
    function execute(address to, bytes calldata data) external {
        // forge-lint: disable-next-line(low-level-calls)
        (bool done,) = to.call(data);
        require(done);
    }
}

/// @notice The recovery blob in createIntent's trailing calldata.
contract CalldataBlobTest is BridgeFixture {
    function test_blob_isPutIntoTheEvent() public {
        bytes memory blob = blobOf(0x01, 512);
        assertEq(emittedBlob(blob), blob);
        assertTrue(bridge.getIntent(bridge.getLatestIntentId()).blobAtCreation);
    }

    function test_blob_whatFollowsIsIgnored() public {
        bytes memory blob = blobOf(0x01, 512);
        assertEq(emittedBlob(bytes.concat(blob, hex"c0ffee")), blob);
    }

    function test_blob_absentIsEmpty() public {
        assertEq(emittedBlob(""), "");
        assertFalse(bridge.getIntent(bridge.getLatestIntentId()).blobAtCreation);
    }

    function test_blob_oneByteShortIsEmpty() public {
        assertEq(emittedBlob(short()), "");
        assertFalse(bridge.getIntent(bridge.getLatestIntentId()).blobAtCreation);
    }

    function test_blob_otherVersionsAreEmpty() public {
        assertEq(emittedBlob(blobOf(0x00, 512)), "");
        assertEq(emittedBlob(blobOf(0x02, 512)), "");
        assertFalse(bridge.getIntent(bridge.getLatestIntentId()).blobAtCreation);
    }

    function test_blob_countsUnitsUpTo32() public {
        bytes memory blob = blobOf(0x01, 32 * 512);
        assertEq(emittedBlob(blob), blob);
        assertEq(intentOf(bridge.getLatestIntentId()).blobsHash, commitment(blob));
        blob = blobOf(0x01, 33 * 512);
        assertEq(emittedBlob(blob), "", "a 33rd");
        blob[1] = 0;
        assertEq(emittedBlob(blob), "", "none");
        blob[1] = 0x20;
        assertEq(emittedBlob(blob).length, 32 * 512);
        assertEq(emittedBlob(blobOf(0x01, 1024)).length, 1024);
    }

    function test_blob_ofTwoUnits_oneByteShortIsEmpty() public {
        bytes memory blob = blobOf(0x01, 1023);
        blob[1] = 0x02;
        assertEq(emittedBlob(blob), "");
        assertEq(intentOf(bridge.getLatestIntentId()).blobsHash, 0);
    }

    function testFuzz_blob_isItsUnitsOrNothing(
        bytes32 seed,
        uint16 size,
        uint8 version,
        uint8 units
    ) public {
        bytes memory suffix = bytesOf(seed, bound(size, 0, 2_100));
        if (suffix.length > 0) suffix[0] = bytes1(version % 3);
        if (suffix.length > 1) suffix[1] = bytes1(units % 6);
        uint256 length = suffix.length > 1 ? uint256(units % 6) * 512 : 0;
        bool present = length > 0 && suffix.length >= length && suffix[0] == 0x01;
        bytes memory blob = emittedBlob(suffix);
        assertEq(blob.length, present ? length : 0);
        if (!present) return;
        assembly {
            mstore(suffix, length)
        }
        assertEq(keccak256(blob), keccak256(suffix));
    }

    /// @dev A smart account's call has its own calldata, of which the blob is the end as ever.
    function test_blob_inASmartAccountsInnerCall() public {
        bytes memory blob = blobOf(0x01, 512);
        SmartAccount account = new SmartAccount();
        vm.etch(sender, address(account).code);
        bytes memory call = bytes.concat(creation(), blob);
        vm.recordLogs();
        vm.prank(anyone);
        SmartAccount(sender).execute(address(bridge), call);
        assertEq(blobIn(vm.getRecordedLogs()), blob);
        assertEq(intentOf(bridge.getLatestIntentId()).sender, sender);
        assertEq(intentOf(bridge.getLatestIntentId()).blobsHash, commitment(blob));
    }

    function commitment(bytes memory blob) private pure returns (bytes32) {
        return keccak256(abi.encode(bytes32(0), uint8(1), keccak256(blob)));
    }

    /// @dev Creates an intent with `suffix` after its arguments; returns the blob from its event.
    function emittedBlob(bytes memory suffix) private returns (bytes memory blob) {
        bytes memory call = bytes.concat(creation(), suffix);
        vm.recordLogs();
        vm.prank(sender);
        (bool created,) = address(bridge).call(call);
        assertTrue(created);
        return blobIn(vm.getRecordedLogs());
    }

    function creation() private view returns (bytes memory) {
        return abi.encodeCall(
            bridge.createIntent, (address(usdc), tokenB, AMOUNT, EXPECTED, REWARD, DEST, DURATION)
        );
    }

    function blobIn(Vm.Log[] memory logs) private pure returns (bytes memory blob) {
        (,,,,,, blob) =
            abi.decode(logs[0].data, (address, address, uint256, uint256, uint256, uint256, bytes));
    }

    /// @dev `length` bytes, each of which depends on the seed and its position.
    function bytesOf(bytes32 seed, uint256 length) private pure returns (bytes memory made) {
        // Whole words are written: reserve all of the last one, then release the excess.
        made = new bytes(length + 32);
        assembly {
            mstore(made, length)
        }
        for (uint256 at = 0; at < length; at += 32) {
            bytes32 word = keccak256(abi.encode(seed, at));
            assembly {
                mstore(add(add(made, 32), at), word)
            }
        }
    }

    function short() private pure returns (bytes memory blob) {
        blob = blobOf(0x01, 511);
        blob[1] = 0x01;
    }

    function blobOf(bytes1 version, uint256 length) private pure returns (bytes memory blob) {
        blob = new bytes(length);
        for (uint256 i = 0; i < length; ++i) {
            blob[i] = bytes1(uint8(i * 7 + 3));
        }
        blob[0] = version;
        if (length > 1) blob[1] = bytes1(uint8(length / 512));
    }
}
