/** The words of an incident's call in Japanese. */
export default Object.freeze({
    "me.call.label": "求められていること",
    "me.call.real": "避難してください",
    "me.call.drill": "訓練: 避難してください",
    "me.call.line": "チーム{team}、{time}から",
    "me.call.do": "今すぐ集合場所へ向かってください。",
    "me.call.doDrill": "これは訓練です。緊急時と同じように集合場所へ向かってください。",
    "me.call.acknowledge": "見ました",
    "me.call.means": "呼びかけが届いたことが責任者に伝わります。安全だという意味ではありません。",
    "me.call.seen": "{time}に呼びかけを見ました。",
    "me.call.seenHere": "{time}に呼びかけを見ました。この端末にあり、まだ送信されていません。",
    "me.call.announced": "あなたのチームに避難の呼びかけがありました。この端末はまだサーバーから詳細を受け取っていません。",
    "me.call.over": "通知された呼びかけは終了しました。",
    "me.call.way": "道順を表示",
});
