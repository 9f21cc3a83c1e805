/** The words of an incident's call in Chinese. */
export default Object.freeze({
    "me.call.label": "对您的要求",
    "me.call.real": "请疏散",
    "me.call.drill": "演练：请疏散",
    "me.call.line": "团队 {team}，自 {time} 起",
    "me.call.do": "现在就去集合点。",
    "me.call.doDrill": "这是演练。请像紧急情况一样前往集合点。",
    "me.call.acknowledge": "我已看到",
    "me.call.means": "这只告诉您的负责人：通知已送达您，并不表示您安全。",
    "me.call.seen": "您于 {time} 看到通知。",
    "me.call.seenHere": "您于 {time} 看到通知：此信息在此手机上，尚未发送。",
    "me.call.announced": "您的团队收到疏散通知。此手机尚未从服务器得到更多信息。",
    "me.call.over": "您收到的通知所指的事件已结束。",
    "me.call.way": "给我指路",
});
