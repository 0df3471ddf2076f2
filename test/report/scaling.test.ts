import { describe, expect, it } from "vitest";
import type { ScalingPlan } from "../../planner/scaling";
import { scalingSections } from "../../report/html/scaling";
import { topologySection } from "../../report/html/topology";
import { signalsText } from "../../report/scaling";
import { duration, style } from "../../report/style";
import { models } from "../../report/terminal/models";
import { modelPlan, planResult } from "./html.fixture";

const SPIKE = { scrape: 15, poll: 15, node: 180, load: 250, total: 460 };

const AWAKE: ScalingPlan = {
  by: "keda",
  min: 2,
  max: 4,
  signals: [
    { on: "queue", target: 4 },
    { on: "kvCache", target: 80 },
  ],
  pollSeconds: 15,
  scaleDownWindowSeconds: 460,
  fallbackReplicas: 2,
  schedule: [],
  spareReplicas: 0,
  coldStartSeconds: 460,
  spikeToServed: SPIKE,
};

const ASLEEP: ScalingPlan = {
  ...AWAKE,
  min: 0,
  signals: [{ on: "queue", target: 1 }],
  schedule: [{ from: "0 8 * * 1-5", to: "0 18 * * 1-5", timezone: "Europe/Berlin", replicas: 1 }],
  spareReplicas: 1,
  idleSeconds: 600,
};

const chat = modelPlan({ name: "chat", minReplicas: 2, maxReplicas: 4, scaling: AWAKE });
const night = modelPlan({ name: "night", minReplicas: 0, maxReplicas: 4, scaling: ASLEEP });
const still = modelPlan({ name: "still", minReplicas: 2, maxReplicas: 2 });

describe("how replicas follow demand", () => {
  const printed = (...of: Parameters<typeof models>[0]["models"]) =>
    models({ models: of, unplaced: [] }, style(false)).replace(/\s+/g, " ");

  it("is a line of the model in the terminal", () => {
    expect(printed(chat)).toContain(
      " KEDA 2–4 at 4 waiting requests each, KV cache 80 % · spike to served 7 min 40 s = scrape 15 s + poll 15 s + node 3 min + load 4 min 10 s ",
    );
  });

  it("names what a replica runs at its service level, unless the gateway counts that already", () => {
    const signals = [{ on: "queue", target: 3 }] as const;
    expect(signalsText({ by: "keda", signals, atOnce: 40 })).toBe("40 running requests each, 3 waiting requests each");
    expect(signalsText({ by: "keda", signals, atOnce: 1 })).toBe("1 running request each, 3 waiting requests each");
    const counted = [{ on: "queue", target: 40, at: "gateway" }] as const;
    expect(signalsText({ by: "keda", signals: counted, atOnce: 40 })).toBe("40 requests under way each");
    expect(signalsText({ by: "hpa", signals, atOnce: 40 })).toBe("3 waiting requests each");
  });

  it("says when a model sleeps and how long it takes to wake, and what is ready before", () => {
    expect(printed(night)).toContain(
      'KEDA 0–4 at 1 waiting request each · spike to served 7 min 40 s = scrape 15 s + poll 15 s + node 3 min + load 4 min 10 s · asleep after 10 min without requests, awake 7 min 40 s after one · 1 or more from "0 8 * * 1-5" to "0 18 * * 1-5" Europe/Berlin · nodes ready for 1 more ',
    );
  });

  it.each([
    [45, "45 s"],
    [250, "4 min 10 s"],
    [3600, "60 min"],
    [7199, "119 min 59 s"],
    [7200, "2 h"],
    [9330, "2 h 36 min"],
  ])("takes %i s, which is %s", (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });

  it("says whose room the cells are that the topology draws empty", () => {
    const page = (scaling: ScalingPlan) =>
      topologySection(
        { ...planResult.plan, models: [{ ...night, scaling }], unplaced: [] },
        planResult.cluster,
        new Map(),
      ).body.text.replace(/\s+/g, " ");
    expect(page(ASLEEP)).toContain("0 replicas, room held for 1 more<");
    expect(page(AWAKE)).not.toContain("room held");
  });

  it("is said of no model that nothing scales", () => {
    expect(printed(still)).not.toMatch(/KEDA|spike/);
    expect(scalingSections({ models: [still] }, new Map())).toEqual([]);
  });

  it("is drawn to one scale on the page: what takes no time has no part", () => {
    const quick = { scrape: 15, poll: 15, node: 0, load: 200, total: 230 };
    const [section] = scalingSections(
      {
        models: [chat, modelPlan({ name: "quick", scaling: { ...AWAKE, by: "hpa", spikeToServed: quick } })],
      },
      new Map(),
    );
    const page = section?.body.text ?? "";
    const [first = "", second = ""] = page
      .split('aria-label="')
      .slice(2)
      .map((part) => part.split("</svg>")[0]);
    const widths = (drawn: string) => [...drawn.matchAll(/x="([\d.]+)%" width="([\d.]+)%"/g)].map(([, x, w]) => [x, w]);
    expect(first).toContain("chat: a further replica answers 7 min 40 s after a spike");
    expect(widths(first)).toEqual([
      ["0.00", "3.26"],
      ["3.26", "3.26"],
      ["6.52", "39.13"],
      ["45.65", "54.35"],
    ]);
    expect(widths(second)).toEqual([
      ["0.00", "3.26"],
      ["3.26", "3.26"],
      ["6.52", "43.48"],
    ]);
    expect(page).toContain("by HPA");
  });
});
