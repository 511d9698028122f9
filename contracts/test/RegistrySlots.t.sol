// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {RegistryFixture} from "./support/RegistryFixture.sol";

/// @notice The storage layout that enclaves prove: RegistryStorage.sol, stated once more.
contract RegistrySlotsTest is RegistryFixture {
    function test_key() public {
        activeKey();
        vm.prank(owner);
        registry.revoke(key.addr);
        uint256 base = uint256(keccak256(abi.encode(key.addr, uint256(0))));
        uint256 registeredAt = block.timestamp - ACTIVATION;
        assertEq(
            read(base),
            uint256(uint160(operator.addr)) | (registeredAt + ACTIVATION) << 160
                | (registeredAt + KEY_LIFETIME) << 192 | block.timestamp << 224
        );
        assertEq(bytes32(read(base + 1)), MEASUREMENT);
        assertEq(read(base + 2), 1);
        assertEq(read(base + 3), key.publicKeyX);
        assertEq(read(base + 4), key.publicKeyY);
    }

    function test_generation() public {
        uint256 slot = uint256(keccak256(abi.encode(uint256(1), uint256(1))));
        assertEq(read(slot), 0);
        vm.prank(owner);
        registry.removeMeasurement(MEASUREMENT);
        assertEq(read(slot), block.timestamp);
    }

    function test_operator() public {
        uint256 slot = uint256(keccak256(abi.encode(operator.addr, uint256(2))));
        uint256 listing = block.timestamp;
        assertEq(read(slot), listing);
        skip(5);
        vm.prank(owner);
        registry.removeOperator(operator.addr);
        assertEq(read(slot), listing | block.timestamp << 64);
    }

    function test_operatorCount() public {
        assertEq(read(3), 1);
        vm.startPrank(owner);
        registry.listOperator(second.addr);
        assertEq(read(3), 2);
        registry.removeOperator(operator.addr);
        assertEq(read(3), 1);
    }

    function read(uint256 slot) private view returns (uint256) {
        return uint256(vm.load(address(registry), bytes32(slot)));
    }
}
