/** Labels for signing in to a service. */
import { labelsOf } from '../../../shared/base/text.ts'

export const accountLabel = labelsOf({
  'account.step.reach': 'reach',
  'account.step.token': 'token',
  'account.step.handshake': 'handshake',
  'account.step.subscribe': 'subscribe',
  'account.step.first message': 'first message',
})
