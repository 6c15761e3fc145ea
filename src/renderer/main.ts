/** The entry point of a window: picks the transport and mounts the app. */
// Must come before all modules with texts, because they build their label tables on import.
import './text/trial.ts'
import { mount } from 'svelte'
import App from './App.svelte'
import { frameRate } from './base/frame-rate.ts'
import { followInput } from './base/last-input.ts'
import { startFeatures } from './core/window/feature.ts'
import { parseReplayRoute } from './core/window/window-route.ts'
import { pickTransport } from './rpc/transport.ts'
import { WindowState } from './core/window/window.svelte.ts'
import { replay } from './features/replay/feature.ts'
import { workspace } from './features/workspace/feature.ts'
import { FEATURES } from './features.ts'
import './styles/fonts.css'
import './styles/tokens.css'
import './styles/base.css'

const target = document.getElementById('app')
if (!target) throw new Error('index.html has no #app')
frameRate.start()
followInput(window)
const app = new WindowState(pickTransport(), { frame: frameRate.data })
const features = startFeatures(FEATURES, app)
mount(App, { target, props: { app, features } })
const route = parseReplayRoute(location.hash)
if (route)
  void features
    .get(replay)
    .open(route.sessions, route.atMs, route.alone)
    .then(() => features.get(workspace).detach())
