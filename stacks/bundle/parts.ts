import { join } from "node:path";
import type { BundledParts } from "../../components/core/from-bundle";
import type { ModelBundle } from "../../components/storage/bundled-models";
import { ConfigError, toProblem } from "../config";
import { BUNDLE_FOLDERS } from "./bundle-file";
import { BUNDLE_PATH, type Bundle, bundledModel, remakeCommand } from "./open-bundle";

export function bundledParts({ folder, content }: Bundle): BundledParts {
  return {
    charts: new Map(content.charts.map(({ name, path }) => [name, join(folder, path)])),
    images: new Set(content.images.map(({ reference }) => reference)),
  };
}

/** As on the machine that becomes the cluster. */
export function modelBundle(bundle: Bundle): ModelBundle {
  const { onHost, node, content } = bundle;
  return {
    path: join(onHost, BUNDLE_FOLDERS.models),
    node,
    gigabytes: content.models.reduce((sum, { bytes }) => sum + bytes, 0) / 1e9,
    modelOf: (repository, revision) => bundledModel(bundle, { repository, revision }),
  };
}

/**
 * Fails in the preview, before anything is created.
 *
 * @param missing what `FromBundle` found.
 * @throws ConfigError with all of it.
 */
export function assertBundled({ folder }: Bundle, missing: readonly string[], environment: string): void {
  if (missing.length > 0) {
    const fix = `with internet, ${remakeCommand(environment, folder)}: it fetches only what lacks`;
    throw new ConfigError(
      missing.map((part) =>
        toProblem({ path: BUNDLE_PATH, value: folder, allowed: `a bundle with the ${part}, which it lacks`, fix }),
      ),
    );
  }
}
