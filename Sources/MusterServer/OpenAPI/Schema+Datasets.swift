import MusterCore

/// The schemas of datasets.
extension Schema {
    private static let datasetName = #"{"type":"string","pattern":"^[A-Za-z0-9_.:-]{1,128}$"}"#
    private static let recordKey = #"{"type":"string","minLength":1,"maxLength":\#(DatasetLimits.keyBytes.upperBound)}"#
    private static let recordValue =
        #"{"type":["string","null"],"maxLength":\#(DatasetLimits.valueBytes)}"#
    private static let pushDevice =
        #"{"type":"string","minLength":1,"maxLength":\#(DatasetLimits.deviceIDBytes.upperBound)}"#

    /// The schemas that routes of datasets name.
    static let datasets: [(String, String)] = [
        (
            "Dataset",
            object([
                ("name", datasetName), ("syncCount", since), ("records", integer), ("bytes", integer),
                ("createdAt", time), ("modifiedAt", time), ("modifiedBy", text),
            ])
        ),
        ("DatasetPage", object([("items", list(of: reference("Dataset")))])),
        (
            "DatasetRecord",
            object([
                ("key", recordKey), ("value", recordValue), ("syncCount", since), ("modifiedAt", time),
                ("deviceModifiedAt", time), ("modifiedBy", text),
            ])
        ),
        (
            "DatasetRecords",
            object(
                [
                    ("name", datasetName), ("syncCount", since), ("exists", boolean), ("deletedSince", boolean),
                    ("records", list(of: reference("DatasetRecord"))),
                ],
                optional: [
                    ("mergedDatasets", list(of: datasetName)),
                    ("nextCursor", #"{"type":"string","maxLength":2000}"#),
                ])
        ),
        (
            "DatasetPatches",
            object(
                [
                    (
                        "records",
                        list(
                            of: object(
                                [("key", recordKey), ("value", recordValue), ("syncCount", since)],
                                optional: [("deviceModifiedAt", time)]))
                    )
                ], optional: [("pushDevice", pushDevice)])
        ),
        (
            "StreamRecords",
            list(
                of: object(
                    [
                        ("key", recordKey), ("syncCount", since), ("lastModifiedDate", integer),
                        ("deviceLastModifiedDate", integer), ("op", words("replace", "remove")),
                    ], optional: [("value", recordValue)]))
        ),
        (
            "DatasetUpdated", object([("syncCount", since), ("records", list(of: reference("DatasetRecord")))])
        ),
    ]
}
