/** Model folder in an engine's pod, copied from the model store. */
export const MODEL_FOLDER = "/models/current";

/** Other allowed paths: writable ones, and those of the image. */
export const OTHER_FOLDERS = ["/tmp", "/cache", "/dev/shm", "/usr", "/opt"] as const;
