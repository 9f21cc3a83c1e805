/** The audit log: who did what and when, filtered in what is loaded, and saved as a table. */
import { persist, Progress, useWork } from "../administration/longwork.js";
import { Paged } from "../operations/paged.js";
import { offerFile } from "../shared/download.js";
import { SelectField, TextField } from "../shared/fields.js";
import { Fault, useList } from "../shared/forms.js";
import { Time } from "../shared/timeview.js";
import { html, useMemo, usePage, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { authorWords, changeWords, detailWords, filtered, groupKeys } from "./auditwords.js";
import { auditTable } from "./save.js";

const noFilter = { who: "", what: "", group: "", from: "", to: "" };

export function Part() {
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
            <${Save} filter=${filter} isEmpty=${entries.length === 0} /></p>
        <${Paged} list=${list} items=${shown} label=${t("operations.part.audit")} empty=${empty}
            row=${(entry) => html`<${Entry} key=${`${entry.change.sequence}`} entry=${entry} />`} />
    </section>`;
}

/** Saves the whole log, as far as the filter leaves it, not only what is loaded. */
function Save({ filter, isEmpty }) {
    const { serverNow } = usePage();
    const work = useWork();
    const [saved, setSaved] = useState("");
    const save = async () => {
        setSaved("");
        const made = await work.begin(({ signal, report, request }) => auditTable({
            filter, report, get: async (path) => (await persist(request, path, {}, signal)).json() }));
        if (!made) { return; }
        offerFile(made.table, `audit-${new Date(serverNow()).toISOString().slice(0, 10)}.csv`);
        setSaved(t(made.isCut ? "audit.savedCut" : "audit.saved", { count: made.found }));
    };
    const { read = 0, found = 0 } = work.progress ?? {};
    return html`<button type="button" class="plain" disabled=${isEmpty || work.isBusy} onClick=${save}>${
        t("audit.save")}</button>
        <${Progress} work=${work} of=${1} words=${t("audit.saving", { count: found, of: read })} />
        <span role="status">${work.isCancelled ? t("audit.notSaved") : saved}</span>
        <${Fault} words=${work.fault} />`;
}

function Entry({ entry }) {
    const lines = detailWords(entry.details);
    return html`<li><p><${Time} at=${entry.change.at} /> <strong>${authorWords(entry)}</strong></p>
        <p>${changeWords(entry.change)}</p>
        ${lines.length > 0 && html`<details><summary>${t("audit.changes")}</summary>
            <ul>${lines.map((line) => html`<li key=${line}>${line}</li>`)}</ul></details>`}</li>`;
}
