import type { CommandIo } from "./io";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** Progress line on stderr; silent for the first second, and when piped. */
export class Progress {
  private timer: NodeJS.Timeout | undefined;
  private detail = "";
  private frame = 0;
  private shown = false;

  constructor(
    private readonly io: CommandIo,
    private readonly title: string,
    private readonly delayMs = 1000,
  ) {
    this.start();
  }

  /** Shows it again after `stop`. */
  start(): void {
    if (this.io.draw) {
      const started = performance.now();
      this.timer = setInterval(() => {
        if (performance.now() - started >= this.delayMs) {
          this.draw();
        }
      }, 100);
      this.timer.unref();
    }
  }

  update(detail: string): void {
    this.detail = detail;
  }

  stop(): void {
    clearInterval(this.timer);
    if (this.shown) {
      this.io.draw?.("");
      this.shown = false;
    }
  }

  private draw(): void {
    this.shown = true;
    this.frame = (this.frame + 1) % FRAMES.length;
    this.io.draw?.(`${FRAMES[this.frame]} ${this.title}${this.detail ? ` · ${this.detail}` : ""}`);
  }
}
