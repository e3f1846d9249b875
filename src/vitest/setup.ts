/**
 * What a worker of the parity project does before anything else: it leaves Ctrl-C to the main process.
 * A terminal sends the signal to the workers too; one that died of it could neither say what it had judged nor stop what it had started.
 */
if (process.send !== undefined) process.on('SIGINT', () => {})

export {}
