// Re-exports the types that Kit's public declarations use, so that an app imports MusterKit alone: these of MusterCore
// and MusterGeometry, and everything public of MusterReplication. A type of MusterCore that has the name of a type of
// Kit is not among them (`Crossing`, `Safety`, `Standing`).

@_exported public import MusterReplication

@_exported public import struct MusterCore.Beacon
@_exported public import struct MusterCore.BeaconUUID
@_exported public import enum MusterCore.Doubt
@_exported public import struct MusterCore.Instant
@_exported public import struct MusterCore.Position
@_exported public import struct MusterCore.RangeSecret
@_exported public import struct MusterCore.RangeTag
@_exported public import struct MusterCore.Revision
@_exported public import struct MusterCore.Sighting
@_exported public import struct MusterGeometry.Coordinate
@_exported public import enum MusterGeometry.CoordinateError
@_exported public import struct MusterGeometry.Metres
