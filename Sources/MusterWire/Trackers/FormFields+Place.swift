import MusterGeometry

/// The place of a report in fields.
extension FormFields {
    /// Why a report has no place, for people.
    struct PlaceFault: Error {
        let words: String
    }

    /// The place in `lat` and `lon`, in degrees, or in `location` as `lat,lon`.
    var place: Result<Coordinate, PlaceFault> {
        var texts = (latitude: text("lat"), longitude: text("lon"))
        for name in ["lat", "lon"] where isAmbiguous(name) {
            return .failure(.init(words: "\(name): has two values."))
        }
        if texts.latitude == nil, texts.longitude == nil, let pair = text("location") {
            let parts = pair.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            if parts.count == 2 { texts = (parts[0], parts[1]) }
        }
        let latitude = Self.degrees(texts.latitude, TrackerRange.latitudes)
        switch (latitude, Self.degrees(texts.longitude, TrackerRange.longitudes)) {
        case (let latitude?, let longitude?):
            return .success(Coordinate(validLatitude: latitude, longitude: longitude))
        case (nil, _): return .failure(.init(words: "lat: is no latitude."))
        case (_, nil): return .failure(.init(words: "lon: is no longitude."))
        }
    }

    /// Reads degrees, also with a comma as the decimal sign: no coordinate has thousands to group.
    private static func degrees(_ text: String?, _ range: ClosedRange<Double>) -> Double? {
        guard let text else { return nil }
        let isComma = text.utf8.count { $0 == UInt8(ascii: ",") } == 1 && !text.utf8.contains(UInt8(ascii: "."))
        guard let number = JSONValue(decimal: isComma ? text.replacing(",", with: ".") : text)?.number,
            range.contains(number)
        else { return nil }
        return number
    }
}
