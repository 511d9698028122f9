// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IReceiveWithAuthorization} from "../periphery/interfaces/IReceiveWithAuthorization.sol";
import {DevnetToken} from "./DevnetToken.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// @title USDC of a development network: 6 decimals, a blacklist and EIP-3009
/// @notice Like the real one (2.2), it refuses transfers from, to and by a blacklisted account, and
///         lets a payee collect what a payer has signed. Written from scratch.
contract DevnetUsdc is DevnetToken, EIP712, IReceiveWithAuthorization {
    /// @notice EIP-712 type of what a payer signs.
    bytes32 public constant RECEIVE_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );

    /// @notice Whether an account is blacklisted.
    mapping(address account => bool) public isBlacklisted;
    /// @notice Whether a payer's nonce was used.
    mapping(address authorizer => mapping(bytes32 nonce => bool)) public authorizationState;

    /// @notice An account was blacklisted.
    event Blacklisted(address indexed account);
    /// @notice An account was taken off the blacklist.
    event UnBlacklisted(address indexed account);
    /// @notice A signed payment was collected.
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);

    constructor() DevnetToken("USD Coin", "USDC", 6) EIP712("USD Coin", "2") {}

    /// @notice Blacklist an account. Open to all: this is play money.
    /// @param account The account.
    function blacklist(address account) external {
        isBlacklisted[account] = true;
        emit Blacklisted(account);
    }

    /// @notice Take an account off the blacklist.
    /// @param account The account.
    function unBlacklist(address account) external {
        isBlacklisted[account] = false;
        emit UnBlacklisted(account);
    }

    /// @inheritdoc IReceiveWithAuthorization
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        bytes memory signature = abi.encodePacked(r, s, v);
        receiveWithAuthorization(from, to, value, validAfter, validBefore, nonce, signature);
    }

    /// @notice EIP-712 domain of this token on this chain.
    /// @return Its hash.
    // The real one's name.
    // forge-lint: disable-next-line(mixed-case-function)
    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

    /// @inheritdoc IReceiveWithAuthorization
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) public {
        require(to == msg.sender, "FiatTokenV2: caller must be the payee");
        require(block.timestamp > validAfter, "FiatTokenV2: authorization is not yet valid");
        require(block.timestamp < validBefore, "FiatTokenV2: authorization is expired");
        require(!authorizationState[from][nonce], "FiatTokenV2: authorization is used or canceled");
        bytes32 authorized = keccak256(
            abi.encode(
                RECEIVE_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce
            )
        );
        require(
            SignatureChecker.isValidSignatureNow(from, _hashTypedDataV4(authorized), signature),
            "FiatTokenV2: invalid signature"
        );
        authorizationState[from][nonce] = true;
        emit AuthorizationUsed(from, nonce);
        _transfer(from, to, value);
    }

    function _update(address from, address to, uint256 amount) internal override {
        require(
            !isBlacklisted[from] && !isBlacklisted[to] && !isBlacklisted[msg.sender],
            "Blacklistable: account is blacklisted"
        );
        super._update(from, to, amount);
    }
}
