/** Runs tests of a checkout with its own vitest: a process, because a mutant may hang it or leave things behind in it. */
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import type { TestModule, Vitest } from "vitest/node";
import type { TestMessage, TestRequest } from "./test-messages";

type VitestNode = typeof import("vitest/node");

process.once("message", async ({ root, files, workers }: TestRequest) => {
  process.chdir(root);
  const path = createRequire(join(root, "package.json")).resolve("vitest/node");
  const { createVitest }: VitestNode = await import(pathToFileURL(path).href);
  const send = (message: TestMessage): void => {
    process.send?.(message);
  };
  const fileOf = ({ moduleId }: { readonly moduleId: string }) => relative(root, moduleId);
  const vitest: Vitest = await createVitest("test", {
    root,
    watch: false,
    maxWorkers: workers,
    // Transformed modules are kept on disk by their content: most of a run's time otherwise.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: AsGiven },
    reporters: [
      {
        onTestModuleQueued: (module: TestModule) => send({ kind: "begins", file: fileOf(module) }),
        onTestCaseResult: (test) => {
          const { state, errors } = test.result();
          if (state === "failed") {
            const doubtful = errors.some(({ message }) => /timed out in \d+ms/.test(message));
            send({ kind: "fails", file: fileOf(test.module), doubtful });
          }
        },
        onTestModuleEnd: (module: TestModule) => {
          const file = fileOf(module);
          send(module.state() === "failed" ? { kind: "fails", file, doubtful: true } : { kind: "ends", file });
        },
      },
    ],
  });
  const project = vitest.getRootProject();
  await vitest.standalone();
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
    files.map((file) => project.createSpecification(join(root, file))),
  );
  for (const { VITEST_TEST_PATH: path } of unhandledErrors as readonly { readonly VITEST_TEST_PATH?: unknown }[]) {
    if (typeof path === "string") {
      send({ kind: "fails", file: relative(root, path), doubtful: true });
    }
  }
  const hasErrors = unhandledErrors.length > 0 || testModules.some((module) => module.state() === "failed");
  process.send?.({ kind: "done", hasErrors } satisfies TestMessage, () => process.exit());
});

/** Vitest would run what failed or took long the last time first. */
class AsGiven {
  shard<T>(files: T): T {
    return files;
  }

  sort<T>(files: T): T {
    return files;
  }
}
