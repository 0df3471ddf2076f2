import type { ScalingPlan, SpikeToServed } from "../../planner/scaling";
import type { DeploymentPlan } from "../../planner/types";
import { AUTOSCALER_LABELS, readinessTexts, signalsText, sleepText, spikeParts, spikeText } from "../scaling";
import { duration } from "../style";
import { barChart, type Column, dataTable, type Section, twoLines } from "./elements";
import { range } from "./format";
import { html, type Markup, type Part } from "./markup";
import { keyChip, type ModelKey } from "./model-keys";

const COLUMNS: readonly Column[] = [
  { title: "Model" },
  { title: "Replicas", kind: "number" },
  { title: "Follows", kind: "long" },
  { title: "From a spike until a further replica answers", kind: "long" },
];

/** Empty if no model scales. */
export function scalingSections(
  { models }: Pick<DeploymentPlan, "models">,
  keys: ReadonlyMap<string, ModelKey>,
): Section[] {
  const scaled = models.flatMap(({ name, scaling }) => (scaling ? [{ name, scaling }] : []));
  if (scaled.length === 0) {
    return [];
  }
  const longest = Math.max(...scaled.map(({ scaling }) => scaling.spikeToServed.total));
  return [
    {
      id: "scaling",
      title: "Scaling",
      lead: "Of several signals the one that asks for most replicas counts. Bars are to one scale: until Prometheus sees a spike, the autoscaler asks, a node is there where none has room, and the model is loaded.",
      body: html`${legend()}${dataTable(
        "Models whose replicas follow demand",
        COLUMNS,
        scaled.map(({ name, scaling }) => row(name, scaling, keys.get(name), longest)),
      )}`,
    },
  ];
}

function row(name: string, scaling: ScalingPlan, key: ModelKey | undefined, longest: number): readonly Part[] {
  const { min, max, by, spikeToServed } = scaling;
  const besides = [sleepText(scaling), ...readinessTexts(scaling)].filter((text) => text !== undefined);
  return [
    html`${keyChip(key)}${name}`,
    twoLines(range(min, max), `by ${AUTOSCALER_LABELS[by]}`),
    html`${signalsText(scaling)}${besides.map((text) => html`<small>${text}</small>`)}`,
    html`${timeline(name, spikeToServed, longest)}<small>${spikeText(spikeToServed)}</small>`,
  ];
}

/** By phase. Detection takes seconds, in two steps. */
const COLOURS: Readonly<Record<keyof Omit<SpikeToServed, "total">, string>> = {
  scrape: "overhead",
  poll: "overhead",
  node: "kv",
  load: "weights",
};

function legend(): Markup {
  const entries = [
    [COLOURS.scrape, "noticed"],
    [COLOURS.node, "a node is there"],
    [COLOURS.load, "the model is loaded"],
  ] as const;
  return html`<ul class="legend" aria-label="Colours of the bars">${entries.map(
    ([colour, text]) => html`<li><i class="swatch ${colour}"></i>${text}</li>`,
  )}</ul>`;
}

/** One bar: each part as long as it takes. */
function timeline(name: string, spike: SpikeToServed, longest: number): Markup {
  let start = 0;
  const parts = spikeParts(spike).map(({ name: part, seconds }) => {
    const width = (100 * seconds) / longest;
    const drawn = {
      className: COLOURS[part],
      label: `${part} ${duration(seconds)}`,
      start: `${start.toFixed(2)}%`,
      width: `${width.toFixed(2)}%`,
    };
    start += width;
    return drawn;
  });
  return barChart(`${name}: a further replica answers ${duration(spike.total)} after a spike`, parts);
}
