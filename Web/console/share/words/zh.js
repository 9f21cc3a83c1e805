/** The words of the page of a share link in Chinese. */
export default Object.freeze({
    "share.place": "{place}，{time} 时（{age}）",
    "share.running": "自 {since} 起",
    "share.ran": "从 {since} 到 {until}：已解除",
    "share.find": "查找姓名",
    "share.noneFound": "名单上没有此姓名的人。",
    "share.empty": "名单上没有人。",
    "share.unaccounted": { other: "{count} 人未确认" },
    "share.checking": { other: "{count} 人核实中" },
    "share.accounted": { other: "{count} 人已确认" },
});
