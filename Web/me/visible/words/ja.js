/** The words of who sees the person in Japanese. */
export default Object.freeze({
    "me.visible.label": "あなたの居場所を見られる人",
    "me.visible.leader": "{name}（チームの責任者）",
    "me.visible.analyst": "{name}（分析担当）",
    "me.visible.admin": "{name}（サーバーの管理者）",
    "me.visible.token": "端末{device}のトークンを持つ人",
    "me.visible.madeBy": "{name}が作成",
    "me.visible.link": "リンクを持つ人",
    "me.visible.link.person": "あなたへのリンクを持つ人",
    "me.visible.link.incident": "避難対応へのリンクを持つ人",
    "me.visible.until": "{time}まで",
    "me.visible.nobody": "あなた以外にはいません。",
    "me.visible.old": "このサーバーは古く、誰が見ているかを答えられません。",
    "me.visible.offline": "それが分かるのはサーバーだけですが、接続がありません。",
    "me.visible.before": "接続が切れる前のサーバーの回答です。今は違うかもしれません。",
    "me.visible.pause": "一時停止",
    "me.visible.what": "しばらくの間、このアプリは位置を記録せず、受信がない理由が責任者に伝わります。"
        + "あなたの別のアプリや端末が報告するものはこれまでどおり見えます。",
    "me.visible.note": "理由（任意、責任者が読みます）",
    "me.visible.minutes30": "30分", "me.visible.minutes60": "1時間", "me.visible.minutes240": "4時間",
    "me.visible.paused": "{time}まで一時停止中であることが責任者に見えます。それまでこのアプリは位置を記録しません。",
    "me.visible.pausedUrgent": "{time}まで一時停止中であることが責任者に見えます。呼び出しがあるか、あなたが助けを求めているか、定時連絡が遅れているため、"
        + "このアプリは位置を報告します。",
    "me.visible.pausedSilent": "{time}まで一時停止中であることが責任者に見えます。このアプリは位置を報告していません。",
    "me.visible.end": "一時停止を終える",
    "me.visible.orderPause": "{time}まで一時停止",
    "me.visible.orderEnd": "一時停止の終了",
});
