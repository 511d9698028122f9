// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {EnclaveKeyRegistry} from "../../src/EnclaveKeyRegistry.sol";
import {
    DevelopmentAttestationVerifier
} from "../../src/attestation/DevelopmentAttestationVerifier.sol";
import {EnclaveRegistration} from "../support/EnclaveRegistration.sol";
import {Vm} from "forge-std/Test.sol";

/// @notice Everybody who can touch a registry, at random. After each step it records which keys
///         were active then: deposits of that second rely on it for ever.
contract RegistryHandler is EnclaveRegistration {
    /// @dev The state of one key as seen at one time.
    struct Sighting {
        address signer;
        uint256 time;
        bool active;
    }

    EnclaveKeyRegistry public immutable REGISTRY;
    DevelopmentAttestationVerifier private immutable VERIFIER;
    address private immutable OWNER;

    Sighting[] public sightings;
    uint256 public listed;
    /// @notice When each operator or measurement may be registered under, by the announcements.
    mapping(address => uint256) private _operatorFrom;
    mapping(bytes32 => uint256) private _measurementFrom;

    constructor(
        EnclaveKeyRegistry registry_,
        DevelopmentAttestationVerifier verifier_,
        address owner_
    ) {
        (REGISTRY, VERIFIER, OWNER) = (registry_, verifier_, owner_);
        (_operatorFrom[operatorAt(0).addr], _measurementFrom[MEASUREMENT], listed) = (1, 1, 1);
    }

    function register(uint256 keySeed, uint256 operatorSeed, uint256 programSeed) external {
        Vm.Wallet memory key = keyAt(keySeed);
        Vm.Wallet memory by = operatorAt(operatorSeed);
        bytes32 program = programAt(programSeed);
        bool known = REGISTRY.keyOf(key.addr).operator != address(0);
        bool active = REGISTRY.isActive(key.addr);
        try this.registerNow(key, by, program) {
            require(_counts(_operatorFrom[by.addr]), "operator that doesn't count");
            require(_counts(_measurementFrom[program]), "measurement that doesn't count");
            require(REGISTRY.isActive(key.addr) == active, "activated by registering");
        } catch {
            bool good = _counts(_operatorFrom[by.addr]) && _counts(_measurementFrom[program]);
            bool fresh = !known && REGISTRY.keyOf(key.addr).revocation == 0;
            require(!(good && fresh), "a new key was refused");
        }
        _step(keySeed);
    }

    function registerNow(Vm.Wallet memory key, Vm.Wallet memory by, bytes32 program) external {
        registerKey(REGISTRY, VERIFIER, key, by, program);
    }

    function revoke(uint256 keySeed, bool byOwner) external {
        address signer = keyAt(keySeed).addr;
        address by = byOwner ? OWNER : REGISTRY.keyOf(signer).operator;
        vm.prank(by);
        try REGISTRY.revoke(signer) {
            require(!REGISTRY.isActive(signer), "active though revoked");
        } catch {}
        _step(keySeed);
    }

    function listOperator(uint256 seed) external {
        address given = operatorAt(seed).addr;
        vm.prank(OWNER);
        try REGISTRY.listOperator(given) {
            require(_operatorFrom[given] == 0, "listed twice");
            _operatorFrom[given] = block.timestamp + REGISTRY.ADDITION_DELAY();
            ++listed;
        } catch {}
        _step(seed);
    }

    function removeOperator(uint256 seed) external {
        address given = operatorAt(seed).addr;
        vm.prank(OWNER);
        try REGISTRY.removeOperator(given) {
            _operatorFrom[given] = 0;
            --listed;
        } catch {}
        _step(seed);
    }

    function allowMeasurement(uint256 seed) external {
        bytes32 given = programAt(seed);
        vm.prank(OWNER);
        try REGISTRY.allowMeasurement(given) {
            require(_measurementFrom[given] == 0, "allowed twice");
            _measurementFrom[given] = block.timestamp + REGISTRY.ADDITION_DELAY();
        } catch {}
        _step(seed);
    }

    function removeMeasurement(uint256 seed) external {
        bytes32 given = programAt(seed);
        vm.prank(OWNER);
        try REGISTRY.removeMeasurement(given) {
            _measurementFrom[given] = 0;
        } catch {}
        _step(seed);
    }

    function wait(uint256 seed) external {
        _step(seed);
    }

    function sightingCount() external view returns (uint256) {
        return sightings.length;
    }

    function _counts(uint256 from) private view returns (bool) {
        return from != 0 && from <= block.timestamp;
    }

    /// @dev Only a second in which nothing more happens can be sighted.
    function _step(uint256 seed) private {
        vm.roll(block.number + 1);
        skip(1 + (uint256(keccak256(abi.encode(seed, block.timestamp))) % 2 days));
        for (uint256 i = 0; i < 4; ++i) {
            address signer = keyAt(i).addr;
            sightings.push(Sighting(signer, block.timestamp, REGISTRY.isActive(signer)));
        }
        skip(1);
    }

    function keyAt(uint256 seed) private returns (Vm.Wallet memory) {
        return vm.createWallet(uint256(keccak256(abi.encode("key", seed % 4))));
    }

    function operatorAt(uint256 seed) private returns (Vm.Wallet memory) {
        return seed % 3 == 0
            ? operator
            : vm.createWallet(uint256(keccak256(abi.encode("operator", seed % 3))));
    }

    function programAt(uint256 seed) private pure returns (bytes32) {
        return seed % 2 == 0 ? MEASUREMENT : keccak256("other program");
    }
}
