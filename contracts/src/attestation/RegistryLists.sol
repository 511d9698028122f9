// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IAttestationVerifier} from "../interfaces/IAttestationVerifier.sol";
import {IEnclaveKeyRegistry, Operator} from "../interfaces/IEnclaveKeyRegistry.sol";
import {RegistryStorage} from "./RegistryStorage.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";

/// @title The operators, measurements and verifier that the registry's owner lists
/// @notice Additions are announced and count after ADDITION_DELAY, longer than any intent stays
///         open after its deposit; removals count at once.
abstract contract RegistryLists is RegistryStorage, IEnclaveKeyRegistry, Ownable2Step {
    /// @dev A measurement's allowance: keys can be registered under it.
    struct Allowance {
        uint64 countsFrom;
        uint32 generation;
    }

    /// @notice Seconds between an announcement and its effect. Production: four days.
    uint32 public immutable ADDITION_DELAY;

    /// @notice The contract that checks evidence; zero if there is none.
    IAttestationVerifier public verifier;
    /// @notice The announced next verifier, zero if none.
    IAttestationVerifier public proposedVerifier;
    /// @notice Unix seconds from which the proposed verifier can be installed.
    uint64 public verifierInstallableAt;

    mapping(bytes32 measurement => Allowance) private _allowances;
    uint32 private _generations;

    /// @dev The constructor's entries count at once: read them before relying on a registry.
    constructor(
        uint32 additionDelay,
        IAttestationVerifier firstVerifier,
        bytes32[] memory measurements,
        address[] memory operators
    ) {
        ADDITION_DELAY = additionDelay;
        _install(firstVerifier);
        for (uint256 i = 0; i < measurements.length; ++i) {
            _allow(measurements[i], uint64(block.timestamp));
        }
        for (uint256 i = 0; i < operators.length; ++i) {
            _list(operators[i], uint64(block.timestamp));
        }
    }

    /// @notice Announce an operator. One that was removed can't come back under its address.
    /// @param operator Account that will sign the registrations of its keys.
    function listOperator(address operator) external onlyOwner {
        _list(operator, _afterDelay());
    }

    /// @notice Remove an operator and its keys, at once and for good. One whose announcement hasn't
    ///         taken effect yet can be announced again.
    /// @param operator A listed or announced operator.
    function removeOperator(address operator) external onlyOwner {
        Operator memory stored = _operators[operator];
        if (stored.listing == 0 || stored.removal != 0) {
            revert OperatorNotListed(operator, stored.listing, stored.removal);
        }
        if (block.timestamp < stored.listing) delete _operators[operator];
        else _operators[operator].removal = uint64(block.timestamp);
        --_operatorCount;
        emit OperatorRemoved(operator);
    }

    /// @notice Announce a measurement.
    /// @param measurement As the verifier reports it.
    function allowMeasurement(bytes32 measurement) external onlyOwner {
        _allow(measurement, _afterDelay());
    }

    /// @notice Stop trusting a measurement, and every key registered under it, at once. A later
    ///         allowance takes the whole delay again and doesn't bring those keys back.
    /// @param measurement An allowed or announced measurement.
    function removeMeasurement(bytes32 measurement) external onlyOwner {
        Allowance memory stored = _allowances[measurement];
        if (stored.countsFrom == 0) revert MeasurementNotAllowed(measurement, 0);
        _removals[stored.generation] = block.timestamp;
        delete _allowances[measurement];
        emit MeasurementRemoved(measurement, stored.generation);
    }

    /// @notice Announce another verifier; zero withdraws the announcement.
    /// @param newVerifier A contract, or zero.
    function proposeVerifier(IAttestationVerifier newVerifier) external onlyOwner {
        if (address(newVerifier) != address(0)) _requireCode(address(newVerifier));
        proposedVerifier = newVerifier;
        verifierInstallableAt = _afterDelay();
        emit VerifierProposed(address(newVerifier), verifierInstallableAt);
    }

    /// @notice Install the announced verifier once ADDITION_DELAY has passed. Anyone may.
    function installVerifier() external {
        IAttestationVerifier next = proposedVerifier;
        if (address(next) == address(0)) revert NoVerifierProposed();
        if (block.timestamp < verifierInstallableAt) {
            revert VerifierNotInstallableYet(verifierInstallableAt);
        }
        delete proposedVerifier;
        _install(next);
    }

    /// @notice Stop registrations until another verifier is installed. Registered keys still count.
    function removeVerifier() external onlyOwner {
        delete verifier;
        emit VerifierInstalled(address(0));
    }

    /// @inheritdoc IEnclaveKeyRegistry
    function operatorOf(address operator) external view returns (Operator memory) {
        return _operators[operator];
    }

    /// @inheritdoc IEnclaveKeyRegistry
    function operatorCount() external view returns (uint256) {
        return _operatorCount;
    }

    /// @inheritdoc IEnclaveKeyRegistry
    function measurementOf(bytes32 measurement)
        public
        view
        returns (uint64 countsFrom, uint32 generation)
    {
        Allowance memory stored = _allowances[measurement];
        return (stored.countsFrom, stored.generation);
    }

    /// @inheritdoc IEnclaveKeyRegistry
    function removalOf(uint256 generation) external view returns (uint256) {
        return _removals[generation];
    }

    function _requireListed(address operator) internal view {
        Operator memory stored = _operators[operator];
        if (stored.listing == 0 || stored.removal != 0 || block.timestamp < stored.listing) {
            revert OperatorNotListed(operator, stored.listing, stored.removal);
        }
    }

    /// @return generation The allowance's number.
    function _requireAllowed(bytes32 measurement) internal view returns (uint32 generation) {
        uint64 countsFrom;
        (countsFrom, generation) = measurementOf(measurement);
        if (countsFrom == 0 || block.timestamp < countsFrom) {
            revert MeasurementNotAllowed(measurement, countsFrom);
        }
    }

    function _list(address operator, uint64 countsFrom) private {
        if (operator == address(0)) revert InvalidAddress(operator);
        if (_operators[operator].listing != 0) revert OperatorAlreadyListed(operator);
        _operators[operator].listing = countsFrom;
        ++_operatorCount;
        emit OperatorListed(operator, countsFrom);
    }

    function _allow(bytes32 measurement, uint64 countsFrom) private {
        if (_allowances[measurement].countsFrom != 0) {
            revert MeasurementAlreadyAllowed(measurement);
        }
        uint32 generation = ++_generations;
        _allowances[measurement] = Allowance({countsFrom: countsFrom, generation: generation});
        emit MeasurementAllowed(measurement, generation, countsFrom);
    }

    function _install(IAttestationVerifier next) private {
        _requireCode(address(next));
        verifier = next;
        emit VerifierInstalled(address(next));
    }

    function _afterDelay() private view returns (uint64) {
        // Block times fit into 64 bits for longer than the sun will shine.
        // forge-lint: disable-next-line(unsafe-typecast)
        return uint64(block.timestamp + ADDITION_DELAY);
    }

    function _requireCode(address account) private view {
        if (account.code.length == 0) revert InvalidAddress(account);
    }
}
