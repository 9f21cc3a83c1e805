/** The words of forms, of what is copied, and of sizes in Japanese. */
export default Object.freeze({
    // Sizes of files and memory
    "size.gigabytes": "{count} GB",
    "size.megabytes": "{count} MB",
    "size.kilobytes": "{count} kB",

    // A text to be copied
    "copy.copy": "コピー",
    "copy.copied": "コピーしました。",
    "copy.selected": "選択しました。キーボードでコピーしてください。",
    "copy.copyWhat": "コピー：{name}",

    // What is wrong with a field
    "field.look": "保存されませんでした。印の付いた項目を確認してください。",
    "field.required": "必須です。",
    "field.name": "英数字と . _ - @ を1～64文字で、空白なしで入力してください。",
    "field.crewName": "表示できる文字1～100字で、空白は一つずつにしてください。",
    "field.email": "メールアドレスを一つだけ、名前や空白なしで入力してください。",
    "field.displayName": "1～{most}文字を1行で入力してください。見えない文字は使えません。",
    "field.phone": "数字で入力してください。+ ( ) - . / と空白は使えます。",
    "field.oneOf": "次のいずれかにしてください: {names}。",
    "field.noTeam": "そのチームはありません。",
    "field.noTeamNamed": "チーム {name} はありません。",
    "field.noUser": "その利用者は存在しないか、表示できません。",
    "field.notInTeam": "チームの人ではありません。",
    "field.noCrew": "チームにその班はありません。",
    "field.crewNeedsTeam": "班はチームの一部です。チームも選んでください。",
    "field.userExists": "利用者 {name} はすでにいます。",
    "field.range": "{least}～{most}の数にしてください。",
    "field.currentPassword": "現在のパスワードではありません。",
    "field.repeats": "{line}行目の名前と重複しています。",
    "field.notColumn": "その列はありません。使える列: {names}。",
    "field.noName": "名前の列がありません。使える列: {names}。",
    "field.twice": "この列が二つあります。",
    "field.cells": "この行は{cells}セル、見出しは{columns}セルです。",

    // An address that only its own device finds
    "reach.typed": "{host} では、ほかのどの端末もこのサーバーに届きません。各端末自身を指すためです。"
        + "ネットワークでのサーバーのアドレスを入力してください。{command} で起動すると、そこで受け付けます。",
    "reach.opened": "{host} では、ほかのどの端末もこのサーバーに届きません。各端末自身を指すためです。"
        + "ネットワークでのサーバーのアドレスでこのページを開き、そこで作り直してください。{command} で起動すると、そこで受け付けます。プロキシの後ろでは、"
        + "{option} と公開アドレスを付けて起動してください。",
});
