import { isTakenLabel } from "../../../names/labels";
import type { Rule } from "../core/rule";

export const commonLabelsAreFree: Rule = function* ({ sections: { commonLabels = {} } }) {
  for (const key of Object.keys(commonLabels).filter(isTakenLabel)) {
    yield {
      path: ["commonLabels", key],
      value: key,
      allowed: "labels that neither Kubernetes nor the platform gives a meaning: objects would be selected by them",
      fix: `use a prefix of your own, for example example.com/${key.split("/").at(-1)}`,
    };
  }
};
