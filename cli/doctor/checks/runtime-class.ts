import { someOf } from "../../cluster/foreign-text";
import { type Check, failed, judged, passed } from "./check";

export const runtimeClasses: Check = ({ runtimeClasses: classes }, { runtimeClasses: wanted }) =>
  wanted.map((name) =>
    judged(
      {
        check: "runtime-class",
        title: `RuntimeClass ${name}`,
        needed: `the RuntimeClass "${name}", which GPU pods name`,
      },
      classes,
      (all) => {
        const names = all.map((found) => found.name);
        return names.includes(name)
          ? passed("there")
          : failed(
              names.length === 0 ? "there is none" : `there are ${someOf(names)}`,
              "install the GPU driver's container toolkit and restart k3s, which then makes the class; the NVIDIA GPU Operator makes it too",
              "where pods need none, remove gpuRuntimeClass under inference-stacks:cluster",
            );
      },
    ),
  );
