// A warning of Node in this process, where hookctl's own code and its library run, is an error that fails the run.
if (!process.listeners("warning").some(({ name }) => name === failOnWarning.name)) process.on("warning", failOnWarning);

function failOnWarning(warning: Error): void {
  throw warning;
}
