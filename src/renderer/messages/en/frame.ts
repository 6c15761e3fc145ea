/** The frame: top bar, status bar, notifications, dialogs and menus of the window as a whole. */
export const frame = {
  'toasts.label': 'Notifications',
  'toasts.dismiss': 'Dismiss',
  'toasts.more': { one: '{count} more', other: '{count} more' },
  'modal.close': 'Close',
} as const
