import type { LoadAs } from "./served-model";

/** What an engine makes of a model's weights. */
export type WeightsAnswer =
  | {
      /** Empty when it finds out for itself. */
      readonly loadAs: LoadAs;
      /** Format of the files that are copied, where it is another than the configuration file's own. */
      readonly files?: string;
      /** What nobody could check of the format. */
      readonly note?: string;
    }
  | {
      /** Why the checkpoint cannot be served in the format that is asked for, and what would mend it. */
      readonly refusal: string;
      /** No other checkpoint would help: the engine itself refuses. */
      readonly ofEngine?: true;
    };
