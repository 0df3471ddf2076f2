import { engineNames, engineOf, settingPath } from "../../../engines";
import type { Rule } from "../core/rule";
import { requestedSettings } from "../engine-block";

export const adaptersFitTheEngine: Rule = function* ({ sections: { models = {} } }) {
  for (const [name, { engine, adapters }] of Object.entries(models)) {
    const { label, adapters: support } = engineOf(engine);
    const path = ["models", name, "adapters"];
    const asked = Object.keys(adapters ?? {});
    if (asked.length > 0 && support === undefined) {
      const able = engineNames.filter((each) => engineOf(each).adapters !== undefined);
      yield {
        path,
        value: asked.slice(0, 5).join(", "),
        allowed: `engine: ${able.join(" or ")}: ${label} does not serve LoRA adapters`,
        fix: `write engine: ${able[0]}, or remove adapters`,
      };
    } else if (support !== undefined && asked.length > support.most) {
      yield {
        path,
        value: `${asked.length} adapters`,
        allowed: `at most ${support.most} of one model`,
        fix: "give the others to a second model of the same source",
      };
    }
  }
};

/** Known for declared ranks; else the copying Job finds out. */
export const adapterRanksFit: Rule = function* ({ sections: { models = {} } }) {
  for (const [name, model] of Object.entries(models)) {
    const ranks = engineOf(model.engine).adapters?.ranks ?? [];
    const { maxLoraRank } = requestedSettings(model);
    const most = maxLoraRank ?? ranks.at(-1);
    for (const [adapter, { rank }] of Object.entries(model.adapters ?? {})) {
      if (rank === undefined || most === undefined || rank <= most) {
        continue;
      }
      const key = settingPath(model.engine, "maxLoraRank");
      const enough = ranks.find((each) => each >= rank);
      yield {
        path: ["models", name, "adapters", adapter, "rank"],
        value: rank,
        allowed: `at most ${most}, the ${maxLoraRank === undefined ? "largest rank of the engine" : `rank of ${key}`} (--max-lora-rank)`,
        fix:
          enough === undefined
            ? "train it with a smaller rank"
            : `write ${key}: ${enough}, or remove that key: it follows from the ranks`,
      };
    }
  }
};

export const adapterRoomHasAdapters: Rule = function* ({ sections: { models = {} } }) {
  for (const [name, model] of Object.entries(models)) {
    const { maxLoras, maxLoraRank } = requestedSettings(model);
    const asked = Object.entries({ maxLoras, maxLoraRank }).filter(([, value]) => value !== undefined);
    if (Object.keys(model.adapters ?? {}).length > 0) {
      continue;
    }
    for (const [key, value] of asked) {
      yield {
        path: ["models", name, ...settingPath(model.engine, key).split(".")],
        value,
        allowed: "only with adapters: it sets aside GPU memory for them",
        fix: `remove ${key}, or name adapters under models.${name}.adapters`,
      };
    }
  }
};
