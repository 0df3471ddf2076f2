/** A flag under `args`, by the catalogue of the engine's options. */
import { type EngineArgument, ruleFor } from "../../catalog/engine-options";
import { releaseHas } from "../../catalog/engine-releases";
import { engineOf } from "../../engines";
import type { Flag } from "./command-line";
import type { ModelDraft, Plain } from "./draft";
import { holdsSecret, isSecretName } from "./secrets";

/** Keeps a flag without an own key, or states why not. */
export function applyEngineFlag(model: ModelDraft, flag: Flag): void {
  const { ledger, engine } = model;
  const { label, options: catalogue } = engineOf(engine);
  const [base = "", ...keys] = flag.name.split(".");
  const positive = base.replace(/^no-/, "");
  const { arguments: rules, options, argumentNamed, releases } = catalogue;
  const argument =
    argumentNamed.get(base) ??
    options.arguments.find(({ aliases, negation }) => aliases?.includes(base) || negation === base) ??
    argumentNamed.get(positive);
  const refused = ruleFor(rules.refused, argument?.name ?? base);
  if (refused !== undefined) {
    ledger.lost(flag.at, `--${base}: ${refused}`);
    return;
  }
  if (flag.values.some(holdsSecret) || isSecretName(base)) {
    ledger.lost(flag.at, `--${base}: secrets are not copied`);
    return;
  }
  if (argument === undefined) {
    const { version = options.version } = model.image?.image ?? {};
    const former = ruleFor(rules.former ?? {}, base);
    if (releases !== undefined && releaseHas(releases.arguments, base, version)) {
      keep(model, flag, base, flag.values[0] ?? true);
    } else {
      ledger.lost(
        flag.at,
        former === undefined ? `${label} ${version} has no flag --${base}` : `a former flag: ${former}`,
      );
    }
    return;
  }
  const off = base !== argument.name && (argument.negation === base || base === `no-${argument.name}`);
  const value = keys.length > 0 ? undefined : argumentValue(argument, flag, off);
  if (value === undefined) {
    ledger.lost(flag.at, `its value is not one that --${argument.name} takes: write it under args`);
    return;
  }
  keep(model, flag, argument.name, value);
}

function keep(model: ModelDraft, { at }: Flag, name: string, value: Plain): void {
  model.args[name] = value;
  model.places.set(`args.${name}`, at);
  model.ledger.mapped(at, `models.*.args.${name}`);
}

function argumentValue({ kind }: EngineArgument, { values }: Flag, off: boolean): Plain | undefined {
  const [value] = values;
  switch (kind) {
    case "switch":
      return value === undefined || /^(true|1)$/i.test(value) ? !off : /^(false|0)$/i.test(value) ? off : undefined;
    case "integer":
    case "number":
      return value !== undefined && Number.isFinite(Number(value)) ? Number(value) : value;
    case "json":
      return value === undefined ? undefined : jsonOf(value);
    case "list":
      return values.length > 0 ? [...values] : undefined;
    default:
      return value;
  }
}

function jsonOf(text: string): Plain {
  try {
    return JSON.parse(text) as Plain;
  } catch {
    return text;
  }
}
