/** The words of imports, exports and what many people are given in Japanese. */
export default Object.freeze({
    // Faults of a table

    // Import
    "administration.import.what": "表計算ソフトで保存した利用者の表（CSV）。全員を作成するか、まったく作成しません。必須なのは名前の列だけです。",
    "administration.import.file": "表（32 MiBまで）。ここにドロップもできます",
    "administration.import.tooLarge": "表が32 MiBを超えています。分けて取り込んでください。",
    "administration.import.makesTeams": "存在しないチームを作る（オフなら誤りとする）", "administration.import.device": "各人に作る端末の名前。不要なら空欄",
    "administration.import.deviceHint": "端末があれば、すぐにスマートフォンを設定できます", "administration.import.try": "誤りを調べる",
    "administration.import.trying": "調べています…", "administration.import.do": "取り込む",
    "administration.import.doing": "取り込み中です。数分かかることがあり、その間ほかの報告は待ちます。",
    "administration.import.wouldMake": "誤りはありません。作成されるもの: {words}。", "administration.import.done": "作成しました: {words}。",
    "administration.import.doneTitle": "取り込みました", "administration.import.again": "別の表を取り込む",
    "administration.import.users": "利用者{count}人", "administration.import.teams": "チーム{count}個",
    "administration.import.crews": "班{count}個", "administration.import.devices": "端末{count}台",
    "administration.import.faults": "何も取り込まれませんでした。誤り{count}件。", "administration.import.line": "{line}行目",
    "administration.import.cell": "{line}行目 {column}", "administration.import.moreFaults": "ほかに{count}件。",
    "administration.import.unsure": "サーバーが応答しません。取り込まれた可能性があります。繰り返す前に利用者を確認してください。",

    // What people are given to begin with
    "administration.handOut.open": "端末・招待・パスワードを渡す…", "administration.handOut.title": "この人たちに最初に渡すもの",
    "administration.handOut.what": "対象 {count}人。", "administration.handOut.tooMany": "一度に{count}人まで。チームや役割で絞ってください。",
    "administration.handOut.kind": "渡すもの", "administration.handOut.as.owntracks": "コードで設定する端末（各自がOwnTracksで読み取る）",
    "administration.handOut.as.invitation": "招待（各自がパスワードを設定する）",
    "administration.handOut.as.password": "このページが作るパスワード（以前のものと未使用の招待は無効）",
    "administration.handOut.make": "{count}人分を作る", "administration.handOut.progress": "{all}件中 {done}件を作成",
    "administration.handOut.stopped": "{name} で止まりました: {reason}", "administration.handOut.goOn": "残り{count}人を続ける",
    "administration.handOut.made": "{count}人分を作成しました。",
    "administration.handOut.leftOut": "パスワードがすでにあるため対象外: {names}。",
    "administration.handOut.once": "秘密の情報で、表示は今だけです。離れる前に印刷か保存をし、渡し終えたらファイルを消してください。",
    "administration.handOut.print": "各人のカードを印刷", "administration.handOut.save": "表として保存",
    "administration.handOut.card.owntracks": "OwnTracksを入れ、外部からの設定を許可し、このコードを読み取り、再び禁止します。このカードは秘密です。",
    "administration.handOut.card.invitation": "このコードを読み取り、自分のパスワードを設定します。一度だけ使えます。このカードは秘密です。",

    // Export
    "administration.export.positions": "位置", "administration.export.of": "対象",
    "administration.export.of.everyone": "全員", "administration.export.of.team": "チーム",
    "administration.export.of.person": "一人", "administration.export.person": "人",
    "administration.export.from": "開始", "administration.export.to": "終了（この端末の時計）",
    "administration.export.noSpan": "終了は開始より後にしてください。", "administration.export.form": "形式",
    "administration.export.devices": "端末{count}台", "administration.export.do": "書き出す",
    "administration.export.progress": "{all}台中 {done}台、{size}", "administration.export.done": "ファイルが完成しました: {size}。",
    "administration.export.empty": "その期間に位置のない端末が{count}台あります。",
    "administration.export.gone": "その間に{count}台の端末が削除されました。",
    "administration.export.cancelled": "中止しました。ファイルは作られていません。",
    "administration.export.failed": "ファイルは作られませんでした: {reason}",
    "administration.export.tooLarge": "このブラウザーで扱える大きさを超えました。期間か人数を減らしてください。",
    "administration.export.others": "利用者と区域", "administration.export.usersWhat": "全利用者（再び取り込める表）と全区域。",
    "administration.export.usersOfTeam": "自分のチームの利用者の表と全区域。", "administration.export.users": "利用者をCSVで",
    "administration.export.regions": "区域をGeoJSONで", "administration.export.read": "{count}件を読み込み",
});
