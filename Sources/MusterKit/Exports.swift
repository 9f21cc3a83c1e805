// What Kit's public declarations name of the targets below it, so that an app imports MusterKit alone. An app sees
// these names of MusterCore and MusterGeometry and no others; of MusterReplication it sees all that is public.

@_exported public import MusterReplication

@_exported public import struct MusterCore.Beacon
@_exported public import struct MusterCore.BeaconUUID
@_exported public import struct MusterCore.Crossing
@_exported public import enum MusterCore.Doubt
@_exported public import struct MusterCore.Instant
@_exported public import struct MusterCore.Position
@_exported public import struct MusterCore.RangeSecret
@_exported public import struct MusterCore.RangeTag
@_exported public import struct MusterCore.Revision
@_exported public import struct MusterCore.Safety
@_exported public import struct MusterCore.Sighting
@_exported public import enum MusterCore.Standing
@_exported public import struct MusterGeometry.Coordinate
@_exported public import enum MusterGeometry.CoordinateError
@_exported public import struct MusterGeometry.Metres
