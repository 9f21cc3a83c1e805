// Re-exports the modules whose types the public declarations use, so that an app imports MusterNearby alone.

@_exported public import struct MusterCore.Instant
@_exported public import struct MusterCore.RangeSecret
@_exported public import struct MusterCore.RangeTag
@_exported public import struct MusterGeometry.Coordinate
@_exported public import enum MusterGeometry.CoordinateError
@_exported public import struct MusterGeometry.Degrees
@_exported public import struct MusterGeometry.Metres
