/** Inherited environments, which inherit nothing themselves. */
import { basename, relative, resolve } from "node:path";
import type { ProblemDraft } from "../../stacks/config/core/problems";
import { readTextFile, UnreadableFileError } from "../../stacks/config/text-file";
import { readYaml, type YamlFile } from "../../stacks/config/yaml-file";
import { environmentFile } from "../environments";
import type { FleetFile, FleetNode } from "./fleet-file";
import { isGenerated } from "./generated";

export interface Base {
  readonly file: string;
  /** For messages. */
  readonly fileName: string;
  readonly yaml: YamlFile;
}

export type BaseReading = Base | { readonly problem: ProblemDraft };

/** Reads each file once for all nodes. */
export class Bases {
  private readonly read = new Map<string, BaseReading>();

  constructor(private readonly fleet: FleetFile) {}

  of({ extends: inherited }: Pick<FleetNode, "extends">): BaseReading | undefined {
    if (inherited === undefined) {
      return undefined;
    }
    const { value, path } = inherited;
    const known = this.read.get(value) ?? this.open(value);
    this.read.set(value, known);
    return "problem" in known ? { problem: { ...known.problem, path } } : known;
  }

  private open(value: string): BaseReading {
    const problem = (allowed: string, fix: string): BaseReading => ({ problem: { path: [], value, allowed, fix } });
    const found = isPath(value) ? { file: resolve(this.fleet.folder, value) } : environmentFile(value);
    if ("problem" in found) {
      const [what = "", others = ""] = found.problem.split("\n");
      return problem(`one of the ${others}, or the path of a file`, what);
    }
    const { file } = found;
    const fileName = isPath(value) ? relative(this.fleet.folder, file) || value : basename(file);
    if (file === this.fleet.file) {
      return problem("an environment", "name the file of an environment: a fleet does not inherit itself");
    }
    let text: string;
    try {
      text = readTextFile(file);
    } catch (error) {
      if (!(error instanceof UnreadableFileError)) {
        throw error;
      }
      return problem(`a readable file: ${fileName} ${error.reason}`, error.fix);
    }
    const yaml = readYaml(text, "begin the file with config:, and sections of an environment below it");
    if (isGenerated(text) || Object.hasOwn(yaml.root, "extends") || Object.hasOwn(yaml.root, "nodes")) {
      return problem(
        `an environment that inherits nothing itself; ${fileName} does`,
        "name what it inherits, and write its own values here under config:",
      );
    }
    return { file, fileName, yaml };
  }
}

/** A name has neither folder nor extension. */
function isPath(value: string): boolean {
  return /[/\\]|\.ya?ml$/.test(value);
}
