/** The audit log: who did what and when, filtered in what is loaded, and saved as a table. */
import { Paged } from "../operations/paged.js";
import { tableText } from "../shared/csv.js";
import { offerTable } from "../shared/download.js";
import { SelectField, TextField } from "../shared/fields.js";
import { useList } from "../shared/forms.js";
import { Time } from "../shared/timeview.js";
import { html, useMemo, usePage, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { authorWords, changeWords, detailWords, entryText, filtered, groupKeys } from "./auditwords.js";

const noFilter = { who: "", what: "", group: "", from: "", to: "" };

export function Part() {
    const { serverNow } = usePage();
    const list = useList("audit?limit=200", "items");
    const [filter, setFilter] = useState(noFilter);
    const entries = list.items ?? [];
    const shown = useMemo(() => filtered(entries, filter), [entries, filter]);
    const set = (members) => setFilter({ ...filter, ...members });
    const empty = entries.length > 0 ? t("audit.noneFound") : t("audit.none");
    return html`<section class="part" aria-labelledby="audit-title">
        <h2 id="audit-title">${t("operations.part.audit")}</h2>
        <p class="quiet">${t("audit.about")}</p>
        <div class="bar filter" role="search">
            <${TextField} label=${t("audit.who")} value=${filter.who} onInput=${(who) => set({ who })} />
            <${TextField} label=${t("audit.what")} value=${filter.what} onInput=${(what) => set({ what })} />
            <${SelectField} label=${t("audit.group")} value=${filter.group} onChange=${(group) => set({ group })}
                options=${[["", t("audit.everything")], ...groupKeys.map((key) => [key, t(`audit.group.${key}`)])]} />
            <${TextField} label=${t("audit.from")} type="date" value=${filter.from}
                onInput=${(from) => set({ from })} />
            <${TextField} label=${t("audit.to")} type="date" value=${filter.to} onInput=${(to) => set({ to })} />
        </div>
        <p class="bar"><span role="status">${t("audit.loaded", { count: shown.length, of: entries.length })}</span>
            ${list.hasMore && html`<button type="button" class="plain" disabled=${list.isBusy}
                onClick=${list.more}>${t("audit.loadMore")}</button>`}
            <button type="button" class="plain" disabled=${shown.length === 0}
                onClick=${() => saveEntries(shown, serverNow())}>${t("audit.save")}</button></p>
        <${Paged} list=${list} items=${shown} label=${t("operations.part.audit")} empty=${empty}
            row=${(entry) => html`<${Entry} key=${`${entry.change.sequence}`} entry=${entry} />`} />
    </section>`;
}

function Entry({ entry }) {
    const lines = detailWords(entry.details);
    return html`<li><p><${Time} at=${entry.change.at} /> <strong>${authorWords(entry)}</strong></p>
        <p>${changeWords(entry.change)}</p>
        ${lines.length > 0 && html`<details><summary>${t("audit.changes")}</summary>
            <ul>${lines.map((line) => html`<li key=${line}>${line}</li>`)}</ul></details>`}</li>`;
}

/** A table of entries: times as the server has them, so that it can be sorted and compared. */
function saveEntries(entries, nowMs) {
    const head = ["time", "sequence", "author", "device", "by", "type", "words"];
    const rows = entries.map(({ author, device, by, change, details }) => [
        change.at, change.sequence, author, device, by, change.type, entryText({ change, details }),
    ]);
    offerTable(tableText([head, ...rows]), `audit-${new Date(nowMs).toISOString().slice(0, 10)}.csv`);
}
