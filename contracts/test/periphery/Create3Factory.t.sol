// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {DevnetToken} from "../../src/devnet/DevnetToken.sol";
import {Create3Factory} from "../../src/periphery/Create3Factory.sol";
import {Deployed} from "../support/Deployed.sol";
import {Test} from "forge-std/Test.sol";

contract RefusesToExist {
    error NotToday();

    constructor() {
        revert NotToday();
    }
}

contract Create3FactoryTest is Test {
    Create3Factory internal factory = Create3Factory(Deployed.create("Create3Factory", ""));
    address internal creator = makeAddr("creator");
    address internal stranger = makeAddr("stranger");
    bytes internal tokenCode = type(DevnetToken).creationCode;

    function code(string memory name) internal view returns (bytes memory) {
        return bytes.concat(tokenCode, abi.encode(name, "T", uint8(6)));
    }

    function create(address by, bytes32 salt, bytes memory creationCode)
        internal
        returns (address)
    {
        vm.prank(by);
        return factory.create(salt, creationCode);
    }

    function testFuzz_createsWhereItSaid(address by, bytes32 salt) public {
        address expected = factory.addressOf(by, salt);
        vm.expectEmit(address(factory));
        emit Create3Factory.Created(by, salt, expected);
        address created = create(by, salt, code("one"));
        assertEq(created, expected);
        assertEq(DevnetToken(created).name(), "one");
    }

    function test_argumentsDoNotChangeTheAddress() public {
        uint256 before = vm.snapshotState();
        address one = create(creator, 0, code("one"));
        assertTrue(vm.revertToState(before));
        assertEq(create(creator, 0, code("another name")), one);
    }

    function test_aStrangerCannotTakeTheAddress() public {
        address taken = create(stranger, 0, code("stranger's"));
        address own = create(creator, 0, code("own"));
        assertNotEq(taken, own);
        assertEq(DevnetToken(own).name(), "own");
    }

    function test_aSaltIsGoodOnce() public {
        address first = create(creator, 0, code("one"));
        vm.expectRevert(
            abi.encodeWithSelector(Create3Factory.SaltAlreadyUsed.selector, bytes32(0), first)
        );
        create(creator, 0, code("two"));
        create(creator, bytes32(uint256(1)), code("two"));
    }

    function test_aFailedConstructorLeavesTheSaltFree() public {
        bytes memory failure =
            abi.encodeWithSelector(Create3Factory.CreationFailed.selector, bytes32(0));
        vm.expectRevert(failure);
        create(creator, 0, type(RefusesToExist).creationCode);
        vm.expectRevert(failure);
        create(creator, 0, "");
        create(creator, 0, code("one"));
    }

    /// @dev The address is a promise to every chain: it must not change with a compiler or a rewrite.
    function test_addressesAsPromised() public {
        vm.etch(address(0x3333), address(factory).code);
        assertEq(
            Create3Factory(address(0x3333)).addressOf(address(0x11), bytes32(uint256(0x22))),
            vm.computeCreateAddress(
                vm.computeCreate2Address(
                    keccak256(abi.encode(address(0x11), bytes32(uint256(0x22)))),
                    keccak256(hex"67363d3d37363d34f03d5260086018f3"),
                    address(0x3333)
                ),
                1
            )
        );
    }
}
