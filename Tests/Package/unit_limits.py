"""What a unit of systemd forbids a service to ask of the kernel, put on a process without systemd.

It reads SystemCallFilter, RestrictAddressFamilies and MemoryDenyWriteExecute, and makes of them the filter that systemd
makes (systemd.exec(5)), by libseccomp. A call that is forbidden ends with EPERM.
"""

import ctypes
import re
import socket
import subprocess

import pytest

allow, refuse = 0x7FFF0000, 0x00050000 | 1  # SCMP_ACT_ALLOW, SCMP_ACT_ERRNO(EPERM)
equal, masked_equal = 4, 7  # SCMP_CMP_EQ, SCMP_CMP_MASKED_EQ
write_bit, execute_bit = 2, 4


class Comparison(ctypes.Structure):
    """scmp_arg_cmp of seccomp.h."""
    _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


class UnitLimits:
    """The limits of one unit."""

    def __init__(self, unit):
        self.fields = dict(re.findall(r"^(\w+)=(.*)$", unit, re.M))
        try:
            self.library = ctypes.CDLL("libseccomp.so.2")
            self.calls = self._calls(self.fields["SystemCallFilter"], set())
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"libseccomp or systemd-analyze is missing: {error}")
        self.library.seccomp_init.restype = ctypes.c_void_p

    def _calls(self, name, seen):
        """The system calls of a group, with those of the groups that it names."""
        if not name.startswith("@"):
            return {name}
        if name in seen:
            return set()
        seen.add(name)
        text = subprocess.run(
            ["systemd-analyze", "syscall-filter", name], check=True, capture_output=True, text=True).stdout
        words = [line.strip() for line in text.splitlines()[1:] if line.strip() and not line.strip().startswith("#")]
        return set().union(*(self._calls(word, seen) for word in words))

    def apply(self):
        """Puts the limits on this process; for `preexec_fn`."""
        context = ctypes.c_void_p(self.library.seccomp_init(refuse))
        conditions = self._conditions()
        for name in sorted(self.calls):
            number = self.library.seccomp_syscall_resolve_name(name.encode())
            if number < 0:
                continue  # Not of this architecture.
            for condition in conditions.get(name, [None]):
                rules = [condition] if condition else []
                array = (Comparison * max(1, len(rules)))(*rules)
                done = self.library.seccomp_rule_add_array(context, allow, number, len(rules), array)
                assert done == 0, (name, done)
        assert self.library.seccomp_load(context) == 0  # It sets NoNewPrivileges as well.

    def _conditions(self):
        """Under which conditions calls are allowed that are not allowed always: one of a list each."""
        found = {}
        if "RestrictAddressFamilies" in self.fields:
            families = [getattr(socket, name) for name in self.fields["RestrictAddressFamilies"].split()]
            found["socket"] = [Comparison(0, equal, family, 0) for family in families]
        if self.fields.get("MemoryDenyWriteExecute") == "yes":
            both = write_bit | execute_bit
            found["mmap"] = [Comparison(2, masked_equal, both, bits) for bits in (0, write_bit, execute_bit)]
            found["mprotect"] = found["pkey_mprotect"] = [Comparison(2, masked_equal, execute_bit, 0)]
        return found
