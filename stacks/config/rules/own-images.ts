/** `models.<name>.image`: combinations with own images. */
import { engineOf, modelEngineVersion } from "../../../engines";
import type { Rule } from "../core/rule";
import { requestedSettings } from "../engine-block";

/** Flags, variables, memory and cards are checked against a release, which the image must name. */
export const ownImagesNameARelease: Rule = function* ({ sections }) {
  for (const [name, config] of Object.entries(sections.models ?? {})) {
    if (config.image && config.engineVersion === undefined) {
      const { label } = engineOf(config.engine);
      const version = modelEngineVersion({ engine: config.engine, ...requestedSettings(config) });
      yield {
        path: ["models", name, "engineVersion"],
        value: undefined,
        allowed: `the release of ${label} that the image behaves as: options, memory and cards are checked against it`,
        fix: `write engineVersion: "${version}", or the release that the image was built from`,
      };
    }
  }
};
