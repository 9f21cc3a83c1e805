"""Draws QR codes of every version by qrcode, an encoder of others, for Tests/MusterTerminalTests.

    pip install qrcode==8.2 && python Tests/Oracles/qr_codes.py > Tests/MusterTerminalTests/Golden/qr-codes.txt

A line is a code: version, level, mask, how many bytes it holds, and the first half of the SHA-256 of its modules, row
by row, `1` for a dark one. The bytes are 7 i + version, and one code in three is full.
"""

import hashlib

import qrcode
from qrcode import constants, util

capacities = {
    "L": (17, 32, 53, 78, 106, 134, 154, 192, 230, 271, 321, 367, 425, 458, 520, 586, 644, 718, 792, 858, 929, 1003,
          1091, 1171, 1273, 1367, 1465, 1528, 1628, 1732, 1840, 1952, 2068, 2188, 2303, 2431, 2563, 2699, 2809, 2953),
    "M": (14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624, 666, 711, 779,
          857, 911, 997, 1059, 1125, 1190, 1264, 1370, 1452, 1538, 1628, 1722, 1809, 1911, 1989, 2099, 2213, 2331),
}

for version in range(1, 41):
    for level, counts in capacities.items():
        count = counts[version - 1] - version % 3
        mask = (version + (3 if level == "M" else 0)) % 8
        data = bytes((7 * index + version) % 256 for index in range(count))
        code = qrcode.QRCode(version, getattr(constants, f"ERROR_CORRECT_{level}"), border=0, mask_pattern=mask)
        code.add_data(util.QRData(data, mode=util.MODE_8BIT_BYTE))
        code.make(fit=False)
        modules = "".join("1" if module else "0" for row in code.get_matrix() for module in row)
        print(version, level, mask, count, hashlib.sha256(modules.encode()).hexdigest()[:32])
