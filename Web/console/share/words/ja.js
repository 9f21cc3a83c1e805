/** The words of the page of a share link in Japanese. */
export default Object.freeze({
    "share.place": "{place}、{time}時点（{age}）",
    "share.running": "{since}から",
    "share.ran": "{since}から{until}まで: 終了",
    "share.find": "名前を探す",
    "share.noneFound": "名簿にその名前の人はいません。",
    "share.empty": "名簿には誰もいません。",
    "share.unaccounted": { other: "未確認 {count}人" },
    "share.checking": { other: "確認中 {count}人" },
    "share.accounted": { other: "確認済み {count}人" },
});
