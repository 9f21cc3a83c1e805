/** The server's health: what is ill and what to do stands on top, then what is well, then figures. */
import { Problem } from "../shared/http.js";
import { allPages } from "../shared/pages.js";
import { ReadingFoot, useReading } from "../shared/reading.js";
import { Time } from "../shared/timeview.js";
import { html, useNow, usePage, useSlice } from "../shared/view.js";
import { t } from "../shared/words.js";
import { figures, findings, reportLimit, wellWords } from "./healthwords.js";
import { parseMetrics } from "./metrics.js";

const everyMs = 15_000;
/** How often the gateways are looked for among all users; and of how many users. */
const gatewaysEveryMs = 5 * 60_000;
const gatewayLimit = 20;

/**
 * Reads everything that a role may read. A part that fails is named in `unread`, and the others are shown.
 * @param {(path: string) => Promise<Response>} request
 * @returns {Promise<import("./healthwords.js").Look>}
 * @throws {TypeError} where the server answers nothing at all
 */
async function lookAtServer(request, isAdmin) {
    const json = async (path) => (await request(path)).json();
    const parts = {
        health: () => json("health"),
        ...(isAdmin ? {
            metrics: async () => parseMetrics(await (await request("../../metrics")).text()),
            deliveries: () => json("deliveries"),
            replications: async () => (await json("../../couchdb/_scheduler/docs?limit=1000")).docs,
            reports: async () => (await json(`refused-reports?limit=${reportLimit}`)).items,
        } : {}),
    };
    const names = Object.keys(parts);
    const answers = await Promise.allSettled(names.map((name) => parts[name]()));
    const look = { unread: [] };
    answers.forEach(({ value, reason }, index) => {
        const name = names[index];
        if (reason === undefined) { look[name] = value; return; }
        if (reason instanceof Problem && reason.details.status === "stalled") {
            look.stalled = reason.details.stalled;
        } else {
            look.unread.push(name);
        }
    });
    const failures = answers.map(({ reason }) => reason);
    if (failures.every((reason) => reason !== undefined && !(reason instanceof Problem))) { throw failures[0]; }
    return look;
}

/** The devices of gateways, each with when it was last heard. */
async function readGateways(get) {
    const { items } = await allPages(get, "users");
    const names = items.filter(({ role }) => role === "gateway").slice(0, gatewayLimit).map(({ name }) => name);
    const pages = await Promise.all(names.map((name) => allPages(get, `devices?user=${encodeURIComponent(name)}`)));
    return pages.flatMap((page) => page.items);
}

export function Part() {
    const { request } = usePage();
    const role = useSlice(({ user }) => user?.role);
    const clocks = useSlice(({ live }) => clocksAhead(live.members));
    const now = useNow();
    const reading = useReading(`health ${role}`, () => lookAtServer(request, role === "admin"), everyMs);
    const gateways = useReading(`gateways ${role}`, readGateways, gatewaysEveryMs);
    const look = reading.value && {
        ...reading.value, gateways: gateways.value, clocks,
        unread: [...reading.value.unread, ...(gateways.fault ? ["gateways"] : [])],
    };
    const ill = look ? findings(look, now) : [];
    const well = look ? wellWords(look, now) : [];
    return html`<section class="part" aria-labelledby="health-title">
        <h2 id="health-title">${t("operations.part.health")}</h2>
        <${ReadingFoot} reading=${reading} />
        ${look && html`<p class="verdict" role="status" data-level=${verdict(ill, reading.fault)}>${
        t(`operations.verdict.${verdict(ill, reading.fault)}`)}${" "}
            <span class="quiet">${t("operations.asOf")} <${Time} at=${new Date(reading.atMs).toISOString()} /></span>
        </p>
        <ul class="rows findings" aria-label=${t("operations.findings")}>${ill.map((each) => html`<${Finding}
            key=${each.key} each=${each} />`)}</ul>
        ${well.length > 0 && html`<h3>${t("operations.well")}</h3>
            <ul class="well">${well.map((words) => html`<li key=${words}>${words}</li>`)}</ul>`}
        ${look.metrics && html`<${Figures} rows=${figures(look.metrics, now)} />`}`}
    </section>`;
}

/** How many devices have a clock that is ahead. */
function clocksAhead(members) {
    let count = 0;
    for (const { clocks } of members.values()) { count += clocks.size; }
    return count;
}

/** The word above all findings; what was read before the server fell silent says nothing of now. */
function verdict(ill, fault) {
    if (fault) { return "old"; }
    if (ill.some(({ level }) => level === "ill")) { return "ill"; }
    return ill.length > 0 ? "watch" : "well";
}

function Finding({ each: { level, words, advice, href } }) {
    return html`<li class="finding" data-level=${level}>
        <p><strong>${t(`operations.level.${level}`)}</strong> ${words}</p>
        <p>${advice}</p>
        ${href && html`<a class="plain" href=${href} aria-label=${t("operations.goToWhat", { words })}>${
        t("operations.goThere")}</a>`}
    </li>`;
}

function Figures({ rows }) {
    return html`<h3>${t("operations.figures")}</h3>
        <dl class="figures">${rows.map(([what, much]) => html`<div key=${what}><dt>${what}</dt><dd>${much}</dd></div>`)}
        </dl>`;
}
