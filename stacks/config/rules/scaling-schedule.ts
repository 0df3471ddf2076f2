/** Rules of `models.<name>.scaling.schedule`. */
import type { ScheduledReplicas } from "../../../planner/scaling";
import { cronProblem } from "../../../planner/schedule/cron";
import { isTimeZone } from "../../../planner/schedule/zones";
import type { Path, ProblemDraft } from "../core/problems";
import type { Rule } from "../core/rule";

export const schedulesAreTimes: Rule = function* ({ sections: { models = {} } }) {
  for (const [name, { scaling }] of Object.entries(models)) {
    for (const [index, window] of (scaling?.schedule ?? []).entries()) {
      yield* timesProblems(["models", name, "scaling", "schedule", index], window);
    }
  }
};

const EXAMPLES = {
  from: 'write for example "0 8 * * 1-5": at 8 on working days',
  to: 'write for example "0 18 * * 1-5": at 18 on working days',
} as const;

function* timesProblems(path: Path, { from, to, timezone }: ScheduledReplicas): Generator<ProblemDraft> {
  for (const key of ["from", "to"] as const) {
    const value = { from, to }[key];
    const problem = cronProblem(value);
    if (problem !== undefined) {
      yield {
        path: [...path, key],
        value,
        allowed: problem,
        fix: EXAMPLES[key],
      };
    }
  }
  if (from.trim() === to.trim()) {
    yield {
      path: [...path, "to"],
      value: to,
      allowed: "a time other than from: the window needs a start and an end",
      fix: 'write when it ends, for example "0 18 * * 1-5"',
    };
  }
  if (!isTimeZone(timezone)) {
    yield {
      path: [...path, "timezone"],
      value: timezone,
      allowed: "a name of the IANA time zone database, such as Europe/Berlin, or UTC; no offset and no abbreviation",
      fix: "write the zone of a city, or UTC",
    };
  }
}

export const schedulesKeepToReplicas: Rule = function* ({ sections: { models = {} } }) {
  for (const [name, { scaling, replicas }] of Object.entries(models)) {
    const { min, max } = replicas;
    for (const [index, { replicas: scheduled }] of (scaling?.schedule ?? []).entries()) {
      const path = ["models", name, "scaling", "schedule", index, "replicas"];
      if (max > min && scheduled > max) {
        yield {
          path,
          value: scheduled,
          allowed: `at most replicas.max, ${max}: nodes and quota are planned for that`,
          fix: `write ${max}, or raise replicas.max to ${scheduled}`,
        };
      } else if (max > min && scheduled <= min) {
        yield {
          path,
          value: scheduled,
          allowed: `more than replicas.min, ${min}, which run anyway`,
          fix: `write ${min + 1} to ${max}, or remove it`,
        };
      }
    }
  }
};
