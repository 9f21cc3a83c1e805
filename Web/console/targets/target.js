/** One target: tested, paused, run by hand, its secret replaced, removed; its deliveries and dead letters. */
import { Once, useMade } from "../operations/once.js";
import { TextField } from "../shared/fields.js";
import { Fault, useAskFirst, useFormOrder, useOrder } from "../shared/forms.js";
import { ReadingFoot, useReading } from "../shared/reading.js";
import { go } from "../shared/route.js";
import { legible } from "../shared/text.js";
import { html, usePage, useState } from "../shared/view.js";
import { listed, t } from "../shared/words.js";
import { DeliveryList } from "./deliverylist.js";
import { Failures } from "./failures.js";
import { Back } from "./newtarget.js";
import { deliveryWords, headersOf, kindWords } from "./targetwords.js";

const everyMs = 5_000;

export function OneTarget({ name }) {
    const path = `targets/${encodeURIComponent(name)}`;
    const [turn, setTurn] = useState(0);
    const reading = useReading(path, async (get) => {
        const [target, counts] = await Promise.all([get(path), get("deliveries")]);
        return { target, counts: counts.targets.find((each) => each.target === name),
            failures: counts.failures.filter((each) => each.target === name) };
    }, everyMs);
    const { value } = reading;
    const changed = () => { reading.reload(); setTurn((count) => count + 1); };
    return html`<section class="part" aria-labelledby="targets-title">
        <${Back} />
        <h2 id="targets-title">${legible(name)}</h2>
        <${ReadingFoot} reading=${reading} />
        ${value && html`<p>${kindWords(value.target)} <span class="badge" data-on=${String(value.target.enabled)}>${
        t(value.target.enabled ? "targets.on" : "targets.off")}</span></p>
            ${value.target.headers?.length > 0 && html`<p class="quiet">${t("targets.sendsHeaders",
        { names: listed(value.target.headers.map(legible)) })}</p>`}
            ${value.counts && html`<p role="status" class=${value.counts.failing ? "fault" : undefined}>${
        deliveryWords(value.counts)}</p>`}
            <${Orders} target=${value.target} path=${path} changed=${changed} />
            <${NewAddress} target=${value.target} path=${path} changed=${changed} />
            <${Failures} failures=${value.failures} isOfOne />
            <${DeliveryList} target=${value.target} count=${value.counts?.deadLetters ?? 0} turn=${turn}
                changed=${changed} />`}
    </section>`;
}

function Orders({ target, path, changed }) {
    const { actions } = usePage();
    const { press, isBusy, fault } = useOrder();
    const [secret, setSecret] = useMade();
    const name = legible(target.name);
    const order = async (key, details) => {
        if (await press({ path, words: t(`targets.order.${key}`, { name }), ...details })) { changed(); }
    };
    const test = () => order("test", { path: `${path}/test` });
    const pause = () => order(target.enabled ? "pause" : "resume", {
        method: "PATCH", body: { enabled: !target.enabled },
    });
    const runByHand = () => order(target.byHand ? "atOnce" : "byHand", {
        method: "PATCH", body: { byHand: !target.byHand },
    });
    const run = async () => { await actions.run(target.name); changed(); };
    const askFirst = useAskFirst();
    const rotate = () => askFirst({
        title: t("targets.do.rotate"), button: t("targets.do.rotate"), lines: [t("targets.askRotate", { name })],
        order: { path: `${path}/secret`, words: t("targets.order.rotate", { name }) },
        done: async (response) => {
            changed();
            setSecret((await response.json()).secret, name);
        },
    });
    const remove = () => askFirst({
        title: t("targets.do.remove"), button: t("targets.do.remove"), lines: [t("targets.askRemove", { name })],
        order: { path, method: "DELETE", words: t("targets.order.remove", { name }) },
        done: (_, isHere) => { if (isHere) { go("operations", "targets"); } },
    });
    const button = (key, act) => html`<button type="button" class="plain" disabled=${isBusy} onClick=${act}>${
        t(`targets.do.${key}`)}</button>`;
    return html`<p class="bar">${button("test", test)}
            ${button(target.enabled ? "pause" : "resume", pause)}
            ${target.enabled && button("run", run)}
            ${button(target.byHand ? "atOnce" : "byHand", runByHand)}
            ${target.kind === "webhook" && button("rotate", rotate)}
            ${button("remove", remove)}</p>
        <${Fault} words=${fault} />
        ${secret && html`<${Once} title=${t("targets.secretOf", { name })}
            secrets=${[{ label: t("targets.secret"), value: secret }]} onDone=${() => setSecret(undefined)} />`}`;
}

/** Another URL and other header fields; what is there now is never shown. */
function NewAddress({ target, path, changed }) {
    const { press, isBusy, faults, fault, find, touch } = useFormOrder(["url", "headers"]);
    const [form, setForm] = useState({ url: "", headers: "" });
    if (target.kind === "log") { return undefined; }
    const set = (members) => { touch(...Object.keys(members)); setForm({ ...form, ...members }); };
    const send = async (event) => {
        event.preventDefault();
        const headers = headersOf(form.headers);
        if (!headers) { find({ headers: t("targets.headersWrong") }); return; }
        const body = {
            ...(form.url.trim() ? { url: form.url.trim() } : {}), ...(form.headers.trim() ? { headers } : {}),
        };
        if (Object.keys(body).length === 0) { find({ url: t("targets.needsURL") }); return; }
        const words = t("targets.order.address", { name: legible(target.name) });
        if (await press({ path, method: "PATCH", body, words })) { setForm({ url: "", headers: "" }); changed(); }
    };
    return html`<details><summary>${t("targets.newAddress")}</summary>
        <form class="form" onSubmit=${send} noValidate autocomplete="off">
            <${TextField} label=${t("targets.url")} hint=${t("targets.neverShown")} type="url" fault=${faults.url}
                value=${form.url} onInput=${(url) => set({ url })} />
            <${TextField} label=${t("targets.headers")} hint=${t("targets.allHeadersHint")} rows="2"
                spellcheck=${false} fault=${faults.headers} value=${form.headers}
                onInput=${(headers) => set({ headers })} />
            <${Fault} words=${fault} />
            <p class="bar"><button type="submit" class="primary" disabled=${isBusy}>${
        t("targets.saveAddress")}</button></p>
        </form>
    </details>`;
}
