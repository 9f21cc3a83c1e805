/** The panel of tracking: whether this phone reports where it is, what waits, and what a page cannot do. */
import { html, useNow, usePage, useSlice, useState } from "../../console/shared/view.js";
import { t } from "../../console/shared/words.js";
import { isErasedAfterAWeek, safariDays, thisBrowser } from "../storage/persistence.js";
import { Limits } from "./limits.js";
import {
    fixWords, lossWords, mayRetry, placeless, problemWords, stateWords, storageWords, troubled, waitingWords,
} from "./trackingwords.js";

export function Panel() {
    const { tracking, fix } = useSlice(({ tracking, fix }) => ({ tracking, fix }));
    const page = usePage();
    const now = useNow();
    const problem = problemWords(tracking);
    const losses = lossWords(tracking, now);
    const isOn = tracking.isOn === true;
    return html`<section id="tracking" class="card tracking" aria-labelledby="tracking-title"
        data-state=${tracking.state}>
        <h2 id="tracking-title">${t("me.tracking.title")}</h2>
        <p id="tracking-state" role="status" class=${troubled.has(tracking.state) ? "warning" : undefined}>${
        stateWords(tracking, now)}</p>
        ${!placeless.has(tracking.state) && html`<p id="tracking-fix" class="quiet">${fixWords(fix, now)}</p>`}
        <p id="tracking-waiting" class="quiet">${waitingWords(tracking, now)}</p>
        ${problem && html`<p id="tracking-problem" class="warning" role="alert">${problem}</p>`}
        ${mayRetry(tracking) && html`<p><button type="button" class="plain" onClick=${() => page.tracking.retry()}>${
        t("me.tracking.again")}</button></p>`}
        <${Losses} losses=${losses} />
        <p><button type="button" id="tracking-switch" class=${isOn ? "plain" : "primary"}
            disabled=${tracking.state === "unsupported"}
            onClick=${() => (isOn ? page.tracking.turnOff() : page.tracking.turnOn())}>${
        t(isOn ? "me.tracking.turnOff" : "me.tracking.turnOn")}</button></p>
        <${Awake} tracking=${tracking} />
        <${Kept} />
        <${Limits} />
    </section>`;
}

function Losses({ losses }) {
    const page = usePage();
    if (losses.length === 0) { return undefined; }
    return html`<div id="tracking-losses" role="alert">
        ${losses.map((words) => html`<p key=${words} class="warning">${words}</p>`)}
        <p><button type="button" class="plain" onClick=${() => page.tracking.clearTold()}>${
        t("me.tracking.clearTold")}</button></p>
    </div>`;
}

function Awake({ tracking }) {
    const page = usePage();
    const { isAwake = false, awake } = tracking;
    return html`<label class="check tracking-check"><input type="checkbox" id="tracking-awake" checked=${isAwake}
            onChange=${({ currentTarget }) => page.tracking.keepAwake(currentTarget.checked)} />
            <span>${t("me.tracking.awake")}</span></label>
        ${isAwake && awake === "refused" && html`<p class="warning">${t("me.tracking.awakeRefused")}</p>`}
        ${isAwake && awake === "unsupported" && html`<p class="warning">${t("me.tracking.awakeUnsupported")}</p>`}`;
}

/** Says whether the browser keeps what the app stores. */
function Kept() {
    const storage = useSlice(({ storage }) => storage);
    const page = usePage();
    const [wasAsked, setAsked] = useState(false);
    if (!storage) { return undefined; }
    const isSafari = isErasedAfterAWeek({ ...thisBrowser(), isPersistent: storage.isPersistent });
    const ask = async () => {
        await page.tracking.askPersistence();
        setAsked(true);
    };
    const mayAsk = storage.isPersistent === false && !wasAsked;
    return html`<p id="tracking-storage" class=${storage.problem ? "warning" : "quiet"}>${storageWords(storage)}</p>
        ${mayAsk && html`<p><button type="button" id="tracking-persist" class="plain" onClick=${ask}>${
        t("me.tracking.askKeep")}</button></p>`}
        ${storage.isPersistent === false && wasAsked && html`<p class="quiet" role="status">${
        t("me.tracking.notKept")}</p>`}
        ${isSafari && html`<p id="tracking-safari" class="warning">${
        t("me.tracking.safari", { count: safariDays })}</p>`}`;
}
