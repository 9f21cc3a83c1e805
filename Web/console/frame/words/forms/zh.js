/** The words of forms, of what is copied, and of sizes in Chinese. */
export default Object.freeze({
    // Sizes of files and memory
    "size.gigabytes": "{count} GB",
    "size.megabytes": "{count} MB",
    "size.kilobytes": "{count} kB",

    // A text to be copied
    "copy.copy": "复制",
    "copy.copied": "已复制。",
    "copy.selected": "已选中：请用键盘复制。",
    "copy.copyWhat": "复制：{name}",

    // What is wrong with a field
    "field.look": "未保存：请查看已标出的字段。",
    "field.required": "此项必填。",
    "field.name": "需要 1 至 64 个英文字母、数字或 . _ - @，不含空格。",
    "field.crewName": "需要 1 至 100 个可见字符，其间只能有单个空格。",
    "field.email": "需要一个电子邮件地址，不含姓名和空格。",
    "field.displayName": "需要 1 到 {most} 个字符，不能换行，也不能有看不见的字符。",
    "field.phone": "需要数字；可以包含 + ( ) - . / 和空格。",
    "field.oneOf": "必须是以下之一：{names}。",
    "field.noTeam": "没有这个团队。",
    "field.noTeamNamed": "没有团队 {name}。",
    "field.noUser": "没有这个用户，或者您无权查看。",
    "field.notInTeam": "这不是团队中的人。",
    "field.noCrew": "团队没有这个班组。",
    "field.crewNeedsTeam": "班组是团队的一部分：请同时选择团队。",
    "field.userExists": "用户 {name} 已存在。",
    "field.range": "需要 {least} 至 {most} 的数字。",
    "field.currentPassword": "这不是当前密码。",
    "field.repeats": "与第 {line} 行的姓名重复。",
    "field.notColumn": "没有这一列；可用的列：{names}。",
    "field.noName": "缺少姓名列；可用的列：{names}。",
    "field.twice": "此列出现了两次。",
    "field.cells": "该行有 {cells} 个单元格，表头有 {columns} 个。",

    // An address that only its own device finds
    "reach.typed": "其他设备无法通过 {host} 访问此服务器：在每台设备上，它都指该设备自身。"
        + "请输入服务器在网络中的地址；用 {command} 启动后，服务器会在该地址接收连接。",
    "reach.opened": "其他设备无法通过 {host} 访问此服务器：在每台设备上，它都指该设备自身。"
        + "请用服务器在网络中的地址打开此页面，并在那里重新生成。用 {command} 启动后，服务器会在该地址接收连接。位于代理之后时，"
        + "请用 {option} 和公开地址启动。",
});
