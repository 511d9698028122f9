// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {EnclaveKeyRegistry} from "../src/EnclaveKeyRegistry.sol";
import {RegistryHandler} from "./invariant/RegistryHandler.sol";
import {RegistryFixture} from "./support/RegistryFixture.sol";

/// @notice What the registry said about a key at any time is what it always says for deposits then.
contract RegistryInvariants is RegistryFixture {
    RegistryHandler private handler;

    function setUp() public override {
        super.setUp();
        EnclaveKeyRegistry.Terms memory terms =
            EnclaveKeyRegistry.Terms(10 days, ACTIVATION, ADDITION);
        registry = newRegistry(owner, verifier, terms);
        handler = new RegistryHandler(registry, verifier, owner);
        targetContract(address(handler));
        bytes4[] memory selectors = new bytes4[](7);
        selectors[0] = RegistryHandler.register.selector;
        selectors[1] = RegistryHandler.revoke.selector;
        selectors[2] = RegistryHandler.listOperator.selector;
        selectors[3] = RegistryHandler.removeOperator.selector;
        selectors[4] = RegistryHandler.allowMeasurement.selector;
        selectors[5] = RegistryHandler.removeMeasurement.selector;
        selectors[6] = RegistryHandler.wait.selector;
        targetSelector(FuzzSelector(address(handler), selectors));
    }

    function afterInvariant() public view {
        uint256 length = handler.sightingCount();
        for (uint256 i = 0; i < length; ++i) {
            (address signer, uint256 time, bool wasActive) = handler.sightings(i);
            bool active = registry.isActive(signer);
            bool revoked = registry.keyOf(signer).revocation != 0;
            (bool one,) = registry.countsFor(signer, time, 1);
            (bool two,) = registry.countsFor(signer, time, 2);
            assertEq(two, wasActive || active, "history was rewritten");
            assertEq(one, (wasActive || active) && !revoked, "a revoked key counts alone");
        }
    }

    function invariant_operatorsAreCounted() public view {
        assertEq(registry.operatorCount(), handler.listed());
    }
}
