/** The words of imports, exports and what many people are given in Chinese. */
export default Object.freeze({
    // Faults of a table

    // Import
    "administration.import.what": "电子表格保存的用户表（CSV）：全部创建或全部不创建。只有姓名列是必需的。",
    "administration.import.file": "表格（最大 32 MiB）；也可拖放到这里", "administration.import.tooLarge": "表格超过 32 MiB：请分批导入。",
    "administration.import.makesTeams": "创建不存在的团队；否则视为错误", "administration.import.device": "为每人创建的设备名称；留空则不创建",
    "administration.import.deviceHint": "有设备即可立即为每人设置手机", "administration.import.try": "检查错误",
    "administration.import.trying": "正在检查…", "administration.import.do": "导入",
    "administration.import.doing": "正在导入。可能需要几分钟；其他上报会等待。", "administration.import.wouldMake": "没有错误。将创建 {words}。",
    "administration.import.done": "已创建 {words}。", "administration.import.doneTitle": "已导入",
    "administration.import.again": "导入另一个表格", "administration.import.users": "{count} 个用户",
    "administration.import.teams": "{count} 个团队", "administration.import.crews": "{count} 个班组",
    "administration.import.devices": "{count} 台设备", "administration.import.faults": "未导入任何内容：{count} 处错误。",
    "administration.import.line": "第 {line} 行", "administration.import.cell": "第 {line} 行，{column}",
    "administration.import.moreFaults": "另有 {count} 处。", "administration.import.unsure": "服务器没有响应，可能已经导入：重复之前请先查看用户。",

    // What people are given to begin with
    "administration.handOut.open": "发放手机设置、邀请或密码…", "administration.handOut.title": "发给这些人的初始内容",
    "administration.handOut.what": "共 {count} 人。", "administration.handOut.tooMany": "一次最多 {count} 人：请按团队或角色缩小范围。",
    "administration.handOut.kind": "内容", "administration.handOut.as.owntracks": "用二维码设置手机：每人用 OwnTracks 扫描",
    "administration.handOut.as.invitation": "邀请：每人自行设置密码",
    "administration.handOut.as.password": "由本页面生成的密码；替换以前的密码，未用的邀请失效",
    "administration.handOut.make": "为 {count} 人生成", "administration.handOut.progress": "已生成 {done} / {all}",
    "administration.handOut.stopped": "在 {name} 处停止：{reason}", "administration.handOut.goOn": "继续其余 {count} 人",
    "administration.handOut.made": "已为 {count} 人生成。", "administration.handOut.leftOut": "因已有密码而未包括：{names}。",
    "administration.handOut.once": "这些是机密，仅此次显示：离开前请打印或保存。发放后请删除文件。", "administration.handOut.print": "为每人打印卡片",
    "administration.handOut.save": "保存为表格",
    "administration.handOut.losing": "不打印也不保存就关闭？", "administration.handOut.back": "返回",
    "administration.handOut.lose": "关闭并丢弃",
    "administration.handOut.lost.owntracks": "{count} 人的二维码将丢失：仅此次显示，手机尚未设置。其令牌在设备页面吊销之前一直有效。",
    "administration.handOut.lost.invitation": "{count} 人的邀请将丢失：仅此次显示。邀请在到期或在“邀请”中撤回之前一直有效。",
    "administration.handOut.lost.password": "{count} 人的密码将丢失：仅此次显示，以前的密码已失效。这些人须用新的密码才能登录。",
    "administration.handOut.card.owntracks": "安装 OwnTracks，允许外部配置，扫描此二维码，然后再次禁止。此卡片须保密。",
    "administration.handOut.card.invitation": "扫描此二维码并设置您自己的密码。只能使用一次。此卡片须保密。",

    // Export
    "administration.export.positions": "位置", "administration.export.of": "对象",
    "administration.export.of.everyone": "所有人", "administration.export.of.team": "一个团队",
    "administration.export.of.person": "一个人", "administration.export.person": "人员",
    "administration.export.from": "从", "administration.export.to": "到（按此设备的时钟）",
    "administration.export.noSpan": "结束时间必须晚于开始时间。", "administration.export.form": "格式",
    "administration.export.devices": "{count} 台设备", "administration.export.do": "导出",
    "administration.export.progress": "{done} / {all} 台设备，{size}", "administration.export.done": "文件已完成：{size}。",
    "administration.export.empty": "{count} 台设备在该时段没有位置。", "administration.export.gone": "其间有 {count} 台设备被删除。",
    "administration.export.cancelled": "已取消：没有生成文件。", "administration.export.failed": "没有生成文件：{reason}",
    "administration.export.tooLarge": "超出此浏览器可收集的大小：请缩短时间或减少人员。", "administration.export.others": "用户和区域",
    "administration.export.usersWhat": "所有用户（可再次导入的表格）和所有区域。", "administration.export.usersOfTeam": "您团队的用户表和所有区域。",
    "administration.export.users": "用户 CSV", "administration.export.regions": "区域 GeoJSON",
    "administration.export.read": "已读取 {count} 个",
});
