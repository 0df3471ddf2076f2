import { findModel } from "../../../catalog/models";
import type { ModelTask } from "../../../engines/served-model";
import type { Rule } from "../core/rule";
import { hasTimes } from "../core/sections/service-level";

/** Tasks whose answers are made token by token. */
const GENERATING: readonly ModelTask[] = ["chat", "completion"];

export const serviceLevelsSaySomething: Rule = function* ({ sections: { models = {} } }) {
  for (const [name, { serviceLevel }] of Object.entries(models)) {
    if (!serviceLevel) {
      continue;
    }
    const path = ["models", name, "serviceLevel"];
    if (serviceLevel.availability === undefined && !hasTimes(serviceLevel)) {
      yield {
        path,
        value: serviceLevel,
        allowed: "at least one of availability, ttftMs, tpotMs",
        fix: "add one, for example availability: 0.999, or remove serviceLevel",
      };
    } else if (serviceLevel.percentile !== undefined && !hasTimes(serviceLevel)) {
      yield {
        path: [...path, "percentile"],
        value: serviceLevel.percentile,
        allowed: "only with ttftMs or tpotMs, which it is the percentile of",
        fix: "add one of them, for example ttftMs: 500, or remove percentile",
      };
    }
  }
};

export const tokenTimesAreOfGeneratedText: Rule = function* ({ sections: { models = {} } }) {
  for (const [name, { model, task: named, serviceLevel = {} }] of Object.entries(models)) {
    const task = named ?? findModel(model ?? "")?.task ?? "chat";
    if (!GENERATING.includes(task)) {
      for (const key of ["ttftMs", "tpotMs"] as const) {
        if (serviceLevel[key] !== undefined) {
          yield {
            path: ["models", name, "serviceLevel", key],
            value: serviceLevel[key],
            allowed: `only with task ${GENERATING.join(" or ")}; this one is ${task}, which makes no tokens`,
            fix: `remove ${key}`,
          };
        }
      }
    }
  }
};
