@echo off
rem The command line of the installed app (Windows). Waits for it and returns its exit code.
"%~dp0..\..\Tapedeck.exe" %*
