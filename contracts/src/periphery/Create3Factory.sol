// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title Contracts at addresses that don't follow from their code
/// @notice An address depends only on the creator and a salt, so a contract whose constructor
///         arguments differ from chain to chain has the same address on all of them. Nobody can
///         take another creator's address.
/// @dev CREATE3: a fixed proxy, created by CREATE2, creates the contract by CREATE as its first act.
contract Create3Factory {
    /// @dev The proxy's creation code. It deploys eight bytes that create a contract from their
    ///      calldata: calldatasize returndatasize returndatasize calldatacopy
    ///      calldatasize returndatasize callvalue create.
    bytes internal constant PROXY_CREATION_CODE = hex"67363d3d37363d34f03d5260086018f3";

    /// @notice A contract was created.
    /// @param creator The caller.
    /// @param salt The creator's salt.
    /// @param created The contract.
    event Created(address indexed creator, bytes32 indexed salt, address created);

    /// @notice The creator has used this salt before.
    error SaltAlreadyUsed(bytes32 salt, address created);
    /// @notice The constructor reverted, or left no code.
    error CreationFailed(bytes32 salt);

    /// @notice Create a contract at `addressOf(msg.sender, salt)`.
    /// @param salt Any value that the caller hasn't used here before.
    /// @param creationCode The contract's creation code and its encoded constructor arguments.
    /// @return created The contract.
    function create(bytes32 salt, bytes calldata creationCode) external returns (address created) {
        created = addressOf(msg.sender, salt);
        bytes memory proxyCode = PROXY_CREATION_CODE;
        bytes32 ownSalt = _ownSalt(msg.sender, salt);
        address proxy;
        assembly ("memory-safe") {
            proxy := create2(0, add(proxyCode, 0x20), mload(proxyCode), ownSalt)
        }
        if (proxy == address(0)) revert SaltAlreadyUsed(salt, created);
        (bool called,) = proxy.call(creationCode);
        if (!called || created.code.length == 0) revert CreationFailed(salt);
        emit Created(msg.sender, salt, created);
    }

    /// @notice Where a creator's contract is, or would be.
    /// @param creator The caller of `create`.
    /// @param salt The salt that it passes.
    /// @return The address.
    function addressOf(address creator, bytes32 salt) public view returns (address) {
        bytes32 proxyHash = keccak256(PROXY_CREATION_CODE);
        address proxy =
            _last20Bytes(abi.encodePacked(hex"ff", this, _ownSalt(creator, salt), proxyHash));
        // RLP of (proxy, 1): a new contract's nonce is 1.
        return _last20Bytes(abi.encodePacked(hex"d694", proxy, hex"01"));
    }

    function _ownSalt(address creator, bytes32 salt) private pure returns (bytes32) {
        return keccak256(abi.encode(creator, salt));
    }

    function _last20Bytes(bytes memory preimage) private pure returns (address) {
        return address(uint160(uint256(keccak256(preimage))));
    }
}
