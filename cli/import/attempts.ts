/** Other ways to write a model that the planner refuses. */
import { vllmVersionProblems } from "../../engines/vllm/start-rules";
import type { CapacityProblem } from "../../planner/types";
import type { SettledModel } from "./environment";
import { loseImage } from "./server-image";

interface Attempt {
  readonly apply: () => void;
  readonly note: (refusal: string) => void;
}

/** In order of trial. */
export function attemptsFor({ draft }: SettledModel, { rule, remedies = [] }: CapacityProblem): Attempt[] {
  const { settings, args, parsers, ledger, places, at, engine } = draft;
  const { image, engineVersion } = settings;
  const stated = Object.entries(parsers);
  const isOfRelease =
    vllmVersionProblems(String(engineVersion)).length > 0 || remedies.some((each) => each.includes("engineVersion"));
  return [
    // Without a known parser of the family: the original's own.
    ...(rule === "chat-parsers" && stated.length > 0
      ? [
          {
            apply: () => {
              stated.forEach(([, { flag, value }]) => {
                args[flag] = value;
              });
            },
            note: () => {
              stated.forEach(([key, { flag, value }]) => {
                const why = `no parser is known for the model's family: ${value} is written as args.${flag}`;
                ledger.correct(`models.*.vllm.${key}`, places.get(`vllm.${key}`) ?? at, why);
              });
            },
          },
        ]
      : []),
    // vLLM keeps the original's release, by which flags were read, unless that is refused.
    ...(engineVersion !== undefined && (image !== undefined || engine !== "vllm" || isOfRelease)
      ? [
          {
            apply: () => {
              delete settings.image;
              delete settings.engineVersion;
            },
            note: (refusal: string) => {
              if (image === undefined) {
                const why = `with ${String(engineVersion)} the plan is refused, and the platform's release takes its place: ${refusal}`;
                ledger.correct("models.*.engineVersion", places.get("engineVersion") ?? at, why);
              } else {
                loseImage(
                  draft,
                  `with this image the plan is refused, and the published one takes its place: ${refusal}`,
                );
              }
            },
          },
        ]
      : []),
  ];
}
