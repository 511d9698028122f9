// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {DevnetToken} from "../../src/devnet/DevnetToken.sol";

/// @notice Keeps 1 % of every transfer once switched on.
contract FeeOnTransferToken is DevnetToken {
    bool public takesFee;
    /// @notice The only account whose transfers are charged; zero for everybody's.
    address public onlyFrom;

    constructor() DevnetToken("Fee on transfer", "FEE", 18) {}

    function setTakesFee(bool on) external {
        takesFee = on;
    }

    function setTakesFeeFrom(address payer) external {
        takesFee = true;
        onlyFrom = payer;
    }

    function _update(address from, address to, uint256 amount) internal override {
        bool isPayer = onlyFrom == address(0) || from == onlyFrom;
        bool charged = takesFee && isPayer && from != address(0) && to != address(0);
        uint256 fee = charged ? amount / 100 : 0;
        super._update(from, to, amount - fee);
        if (fee > 0) super._update(from, address(0), fee);
    }
}

/// @notice Calls back during a transfer, and records the result.
contract ReentrantToken is DevnetToken {
    address public target;
    bytes public payload;
    bool public called;
    bool public succeeded;
    bytes public answer;

    constructor() DevnetToken("Reentrant", "RE", 18) {}

    function arm(address target_, bytes calldata payload_) external {
        (target, payload, called) = (target_, payload_, false);
    }

    function _update(address from, address to, uint256 amount) internal override {
        super._update(from, to, amount);
        if (target == address(0) || called) return;
        called = true;
        (succeeded, answer) = target.call(payload);
    }
}

/// @notice What a transfer answers, by mode; nothing moves in the refusing modes.
contract MoodyToken is DevnetToken {
    enum Mood {
        Honest,
        ReturnsFalse,
        ReturnsTwo,
        ReturnsOneByte,
        Reverts,
        RevertsWithTrue,
        ReturnsGigantic,
        RevertsGigantic,
        BurnsAllGas
    }

    Mood public mood;
    /// @notice Whom `transferFrom` pays only in an honest mood.
    address public refusedReceiver;

    constructor() DevnetToken("Moody", "MOOD", 18) {}

    function setMood(Mood newMood) external {
        mood = newMood;
    }

    function setRefusedReceiver(address receiver) external {
        refusedReceiver = receiver;
    }

    function transferFrom(address from, address to, uint256 amount) public override returns (bool) {
        if (to != refusedReceiver) return super.transferFrom(from, to, amount);
        if (mood == Mood.Honest) return super.transferFrom(from, to, amount);
        return transfer(to, amount);
    }

    function transfer(address to, uint256 amount) public override returns (bool) {
        if (mood == Mood.Honest) return super.transfer(to, amount);
        if (mood == Mood.ReturnsFalse) return false;
        if (mood == Mood.ReturnsTwo) _return(32, 2);
        if (mood == Mood.ReturnsOneByte) _return(1, uint256(1) << 248);
        if (mood == Mood.Reverts) revert("refused");
        if (mood == Mood.RevertsWithTrue) {
            assembly {
                mstore(0, 1)
                revert(0, 32)
            }
        }
        // Nearly as much memory as a push's gas can pay for.
        if (mood == Mood.ReturnsGigantic) _return(320_000, 2);
        if (mood == Mood.RevertsGigantic) {
            assembly {
                revert(0, 320000)
            }
        }
        while (true) {}
        return true;
    }

    function _return(uint256 length, uint256 word) private pure {
        assembly {
            mstore(0, word)
            return(0, length)
        }
    }
}

/// @notice Wrapped ether as on most chains: a call of a function that it doesn't have wraps the
///         ether sent along, which is none, and succeeds.
contract SilentToken is DevnetToken {
    constructor() DevnetToken("Silent", "SILENT", 18) {}

    fallback() external {}
}

/// @notice Calls a hook of one receiver, as ERC-777 does, and refuses at once if it can't give it
///         enough gas: too little gas makes it refuse and leaves most of the gas for what follows.
contract HookedToken is DevnetToken {
    uint256 public constant HOOK_GAS = 250_000;
    address public hooked;

    constructor() DevnetToken("Hooked", "HOOK", 18) {}

    function setHooked(address receiver) external {
        hooked = receiver;
    }

    function _update(address from, address to, uint256 amount) internal override {
        require(to != hooked || gasleft() >= HOOK_GAS, "too little gas for the hook");
        super._update(from, to, amount);
    }
}
