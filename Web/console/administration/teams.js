/** The teams: made; and each by itself: its settings, its rules, its timers. */
import { Dialog } from "../shared/dialog.js";
import { useAskFirst } from "../shared/forms.js";
import { ReadingFoot } from "../shared/reading.js";
import { go, hrefOf } from "../shared/route.js";
import { byName } from "../shared/text.js";
import { duration } from "../shared/time.js";
import { html, usePage, useRef, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { AttendanceRules } from "./attendance.js";
import { Form, rangeFaults } from "./form.js";
import { ProximityRules } from "./proximity.js";
import { changed, useOne } from "./reading.js";
import { TeamTimers } from "./timer.js";
import { Rows, useWhole } from "./wholelist.js";

export function Teams({ rest, me }) {
    const own = me.role === "leader" ? me.team : undefined;
    if (me.role === "leader" && !own) { return html`<p class="quiet">${t("administration.teams.youHaveNone")}</p>`; }
    const name = rest[0] ?? own;
    return name ? html`<${Team} key=${name} name=${name} me=${me} />` : html`<${TeamList} />`;
}

function TeamList() {
    const list = useWhole("teams");
    const [isMaking, setMaking] = useState(false);
    const rows = [...list.items ?? []].sort((left, right) => byName(left.name, right.name));
    return html`<section aria-labelledby="teams-title">
        <h2 id="teams-title">${t("administration.part.teams")}</h2>
        <p class="answers"><button type="button" class="primary" onClick=${() => setMaking(true)}>${
        t("administration.teams.add")}</button></p>
        <${Rows} list=${list} rows=${rows} empty=${t("administration.teams.none")}
            row=${(team) => html`<li key=${team.name}><a href=${hrefOf("administration", "teams", team.name)}>
                <strong>${team.name}</strong> <span class="quiet">${t("administration.teams.silentAfter", {
        duration: duration(team.silenceSeconds) })}</span></a></li>`} />
        ${isMaking && html`<${Dialog} title=${t("administration.teams.addTitle")} onClose=${() => setMaking(false)}>
            <${Form} name="new team" first=${{ name: "" }} submit=${t("administration.make")} fields=${[
        { key: "name", label: t("administration.name"), isRequired: true, hint: t("administration.nameHint") },
    ]} onCancel=${() => setMaking(false)} order=${({ name }) => ({
        path: "teams", body: { name: name.trim() }, words: t("administration.order.make", { name: name.trim() }),
    })} done=${(_, { name }) => { setMaking(false); go("administration", "teams", name.trim()); }} /><//>`}
    </section>`;
}

function Team({ name, me }) {
    const path = `teams/${encodeURIComponent(name)}`;
    const one = useOne(path);
    const [isRemoving, setRemoving] = useState(false);
    const people = useWhole(isRemoving ? "users" : undefined);
    const count = (people.items ?? []).filter(({ team }) => team === name).length;
    const askFirst = useAskFirst();
    /** What goes with it: its people are counted while the question stands. */
    const lost = useRef();
    lost.current = [
        t("administration.teams.lost"),
        people.isBusy ? t("administration.teams.counting")
            : people.isWhole && count > 0 ? t("administration.teams.lostPeople", { count }) : "",
        t("administration.undoNot"),
    ];
    const remove = () => {
        setRemoving(true);
        askFirst({
            title: t("administration.teams.removeTitle", { name }), button: t("administration.remove"),
            lines: () => lost.current,
            order: { path, method: "DELETE", words: t("administration.order.remove", { name }) },
            done: (_, isHere) => (isHere ? go("administration", "teams") : changed()),
        });
    };
    return html`<article aria-labelledby="team-title">
        ${me.role === "admin" && html`<p><a class="back" href=${hrefOf("administration", "teams")}>${
        t("administration.teams.back")}</a></p>`}
        <h2 id="team-title">${name}</h2>
        <${ReadingFoot} reading=${one} />
        ${one.value && html`
            <p><a class="back" href=${hrefOf("administration", "crews", name)}>${
        t("administration.teams.toCrews")}</a></p>
            <${Settings} team=${one.value} path=${path} me=${me} />
            <${AttendanceRules} team=${name} />
            <${ProximityRules} team=${name} />
            <${TeamTimers} team=${name} />
            ${me.role === "admin" && html`<section aria-labelledby="ends-title">
                <h3 id="ends-title">${t("administration.teams.ends")}</h3>
                <p><button type="button" class="plain danger" onClick=${remove}>${
        t("administration.teams.remove")}</button></p></section>`}`}
    </article>`;
}

/** A team's settings as a form has them: times in minutes, as people say them. Pure. */
export function formOfTeam(team) {
    const minutes = (seconds) => (seconds === undefined || seconds === null ? "" : String(seconds / 60));
    return {
        silence: minutes(team.silenceSeconds), closesDrills: team.closesDrills,
        closesRealIncidents: team.closesRealIncidents, closesAfter: minutes(team.closesAfterSeconds),
        declaredHolds: minutes(team.declaredHoldsSeconds), showsSafetyAlways: team.showsSafetyAlways,
        parEvery: minutes(team.parEverySeconds), allowsPause: team.allowsPause,
    };
}

const settingNames = {
    silence: "silenceSeconds", closesAfter: "closesAfterSeconds", declaredHolds: "declaredHoldsSeconds",
    parEvery: "parEverySeconds",
};
const settingRanges = {
    silence: [1 / 6, 10_080], closesAfter: [0, 1440], declaredHolds: [1, 43_200], parEvery: [1, 1440],
};

/** A number that was typed; undefined where nothing was. */
function numberOf(text) {
    return String(text ?? "").trim() === "" ? undefined : Number(text);
}

/** The settings that were changed, as the API takes them. Pure. */
export function teamBody(differing) {
    return Object.fromEntries(Object.entries(differing).map(([key, value]) => {
        if (!(key in settingNames)) { return [key, value]; }
        const minutes = numberOf(value);
        return [settingNames[key], minutes === undefined ? null : Math.round(minutes * 60_000) / 1000];
    }));
}

function Settings({ team, path, me }) {
    const { request } = usePage();
    const minutes = (key, most, isRequired = true) => ({
        key, label: t(`administration.setting.${key}`), hint: t(`administration.settingHint.${key}`), kind: "number",
        isRequired, least: 0, most,
    });
    const check = (key) => ({ key, label: t(`administration.setting.${key}`), kind: "check" });
    const fields = [
        minutes("silence", 10_080), check("showsSafetyAlways"), minutes("declaredHolds", 43_200),
        // A server that has no such setting does not answer it.
        ...("parEverySeconds" in team ? [minutes("parEvery", 1440, false)] : []),
        ...("allowsPause" in team ? [check("allowsPause")] : []),
        check("closesDrills"), ...(me.role === "admin" ? [check("closesRealIncidents")] : []),
        minutes("closesAfter", 1440),
    ];
    return html`<section aria-labelledby="settings-title">
        <h3 id="settings-title">${t("administration.teams.settings")}</h3>
        <${Form} name=${`team ${team.name}`} first=${formOfTeam(team)} fields=${fields}
            submit=${t("administration.save")}
            faultsOf=${(values) => rangeFaults(values, settingRanges)}
            current=${async () => formOfTeam(await (await request(path)).json())}
            order=${(_, differing) => ({
        path, method: "PATCH", body: teamBody(differing), words: t("administration.order.change", { name: team.name }),
    })} />
    </section>`;
}
