/** Other ways to write a model that the planner refuses. */
import type { CapacityProblem } from "../../planner/types";
import type { SettledModel } from "./environment";
import { loseImage } from "./server-image";

/** One such way. */
interface Attempt {
  readonly apply: () => void;
  readonly note: (refusal: string) => void;
}

/** In the order in which they are tried. */
export function attemptsFor({ draft }: SettledModel, { rule }: CapacityProblem): Attempt[] {
  const { settings, args, parsers, ledger, places, at, engine } = draft;
  const { image, engineVersion } = settings;
  const stated = Object.entries(parsers);
  return [
    // The platform knows no parser of the model's family: the original's own.
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
    // Of vLLM the original's release stays, whose flags and formats were read.
    ...(engineVersion !== undefined && (image !== undefined || engine !== "vllm")
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
