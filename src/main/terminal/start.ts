/** Starts features after what they need, and ends them again. Knows none of them. */
import { systemClock } from '../base/clock.ts'
import type { Responder } from '../rpc/respond.ts'
import type { Fake, MainFeature, Started } from './feature.ts'
import type { HostOptions } from './host.ts'

export interface RunningFeatures {
  /** Names in the order of starting. */
  readonly names: readonly string[]
  /** Every call and stream of the features. */
  readonly responders: readonly Responder[]
  /** The service of a feature. Throws if it wasn't started. */
  service<S>(feature: MainFeature<S>): S
  /** Ends everything, once. Rejects with the first failure after the rest has been closed, too. */
  close(): Promise<void>
}

/** The features and everything they need, each once; what is needed comes first. */
function inOrder(features: readonly MainFeature[], faked: ReadonlyMap<MainFeature, unknown>): readonly MainFeature[] {
  const ordered = new Set<MainFeature>()
  const visit = (feature: MainFeature): void => {
    if (ordered.has(feature)) return
    if (!faked.has(feature)) Object.values(feature.needs).forEach(visit)
    ordered.add(feature)
  }
  features.forEach(visit)
  return [...ordered]
}

function refuseSameNames(features: readonly MainFeature[]): void {
  const names = new Set<string>()
  for (const { name } of features) {
    if (names.has(name)) throw new Error(`Two features are named ${name}.`)
    names.add(name)
  }
}

/** First all are told to stop, the last started first, and awaited together; then they are closed one after another. */
async function closeAll(running: readonly Started<unknown>[]): Promise<void> {
  const latestFirst = running.toReversed()
  const failures: unknown[] = []
  const attempt = async (work: (() => Promise<void> | void) | undefined): Promise<void> => {
    try {
      await work?.()
    } catch (thrown) {
      failures.push(thrown)
    }
  }
  await Promise.all(latestFirst.map((one) => attempt(one.stop?.bind(one))))
  for (const one of latestFirst) await attempt(one.close?.bind(one))
  if (failures.length > 0) throw failures[0]
}

/**
 * Starts the features, each as soon as what it needs has started. If one can't start, closes those that have, and rejects
 * with its reason.
 */
export async function startTerminal(
  features: readonly MainFeature[],
  options: HostOptions,
  fakes: readonly Fake[] = [],
): Promise<RunningFeatures> {
  const faked = new Map(fakes.map(({ feature, service }) => [feature, { service }]))
  const ordered = inOrder(features, faked)
  refuseSameNames(ordered)
  const sections = ordered.flatMap(({ settings = [] }) => settings)
  const host = { ...options, clock: options.clock ?? systemClock, sections }
  const running = new Map<MainFeature, Started<unknown>>()
  const inTurn = (): readonly Started<unknown>[] => ordered.flatMap((feature) => running.get(feature) ?? [])
  let closed: Promise<void> | null = null
  const close = (): Promise<void> => (closed ??= closeAll(inTurn()))
  const serviceOf = <S>(feature: MainFeature<S>): S => {
    const found = running.get(feature)
    if (found === undefined) throw new Error(`The feature ${feature.name} wasn't started.`)
    return found.service as S // `start` of this very feature, or its fake, gave it
  }
  const starts = new Map<MainFeature, Promise<void>>()
  const startOne = async (feature: MainFeature): Promise<void> => {
    const needs = faked.has(feature) ? [] : Object.entries(feature.needs)
    await Promise.all(needs.flatMap(([, need]) => starts.get(need) ?? []))
    const services = Object.fromEntries(needs.map(([key, need]) => [key, serviceOf(need)]))
    // `defineFeature` paired these needs with this `start`; a list of features can't show it.
    running.set(feature, faked.get(feature) ?? (await feature.start(services as never, host)))
  }
  // Store and market each start a thread. Neither waits for the other.
  for (const feature of ordered) starts.set(feature, startOne(feature))
  try {
    await Promise.all(starts.values())
    for (const one of inTurn()) await one.begin?.()
  } catch (thrown) {
    await Promise.allSettled(starts.values()) // what is still starting must be closed, too
    await close().catch(() => undefined) // the first failure says why
    throw thrown
  }
  return {
    names: ordered.map(({ name }) => name),
    responders: inTurn().flatMap(({ responders = [] }) => responders),
    service: serviceOf,
    close,
  }
}
